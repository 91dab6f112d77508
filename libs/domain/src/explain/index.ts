export { explain } from './explain.js';
export {
  EXPLAIN_ANSWERS,
  type ExplainAnswer,
  type ExplainFacts,
  type Explanation,
  type RunFact,
} from './explanation.js';

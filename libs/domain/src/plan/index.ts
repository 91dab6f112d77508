export { firstFireAt } from './first-fire-at.js';
export { plan, type Plan, type PlanInput, type PlannedTick } from './plan.js';

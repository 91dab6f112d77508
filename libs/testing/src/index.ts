export * from './builders.js';
export * from './checkout.js';
export * from './eventually.js';
export * from './gate.js';
export * from './servers/index.js';
export * from './stack.js';
export * from './target-stub.js';
export * from './test-plan.js';
export { type Authority, type Certificate, makeAuthority } from './certificates.js';

export { afterTaking, type Allowance, blockToTake, freshAllowance, remainingOf, useAllowance } from './allowance.js';
export { changedFields } from './changed-fields.js';
export { addressGroup } from './client-address.js';
export { Forbidden, TooMany, Unauthenticated } from './errors.js';
export { KEY_STATES, keyState, type KeyState } from './key-state.js';
export { maskSecrets } from './mask-secrets.js';
export { hasRole, type Role, ROLES } from './roles.js';
export { DEFAULT_TENANT, EVERY_TENANT, isTenantName, TENANT_RULE } from './tenants.js';

export { findKeyByPrefix, type KnownKey, noteKeyUses, USES_KEPT_MS } from './find-key.js';
export { createKey, findKey, listKeys, type NewKey, revokeKey } from './manage-keys.js';

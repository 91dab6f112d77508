/** Whose everything is where nobody says so. */
export const DEFAULT_TENANT = 'default';
/** Of a key, instead of a tenant: it is for the whole deployment. */
export const EVERY_TENANT = '*';

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

export const TENANT_RULE = 'must be 1–64 of a–z, 0–9, - and _, and begin with a letter or a digit';
export const isTenantName = (text: string): boolean => NAME.test(text);

/** What a key lets its holder do; each has the rights of those before it. */
export const ROLES = ['VIEWER', 'OPERATOR', 'EDITOR', 'ADMIN'] as const;
export type Role = (typeof ROLES)[number];

export const hasRole = (role: Role, least: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(least);

export { type AuditListing, listAudit } from './list-audit.js';
export { type AuditNote, writeAudit } from './write-audit.js';

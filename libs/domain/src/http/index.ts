export { checkHeader } from './header-rules.js';
export { REDACTED, isSecretHeader, redactHeaders } from './redact-headers.js';
export { redactSecrets } from './redact-secrets.js';
export { checkTargetUrl } from './target-url.js';

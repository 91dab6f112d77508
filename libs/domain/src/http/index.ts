export { checkHeader } from './header-rules.js';
export { REDACTED, isSecretHeader, redactHeaders } from './redact-headers.js';
export { checkTargetUrl } from './target-url.js';

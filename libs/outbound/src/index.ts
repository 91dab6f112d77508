export { AddressBlockedError, type AddressRules, type ResolveAll } from './address-guard.js';
export { createHttpClient, type HttpClientOptions } from './http-client.js';
export { signatureHeaders, type SignedRequest, stringToSign } from './sign-notice.js';
export { TargetClient, type OutboundOptions } from './target-client.js';
export type { TargetCall } from './target-call.js';

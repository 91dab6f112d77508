export { AddressBlockedError, type AddressRules } from './address-guard.js';
export { createHttpClient, type HttpClientOptions } from './http-client.js';
export { signatureHeaders, type SignedRequest, stringToSign } from './sign-notice.js';
export { TargetClient, type OutboundOptions } from './target-client.js';
export type { TargetCall } from './target-call.js';

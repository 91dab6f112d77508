const REASONS: Record<string, string> = {
  ECONNREFUSED: 'the target refused the connection',
  ECONNRESET: 'the target reset the connection',
  EPIPE: 'the target closed the connection while the request was being sent',
  ENOTFOUND: "the target's host name does not exist",
  EAI_AGAIN: "the target's host name could not be looked up",
  ENODATA: "the target's host name has no address",
  EHOSTUNREACH: 'no route to the target',
  ENETUNREACH: 'no route to the target',
  ETIMEDOUT: 'the connection to the target could not be made in time',
  UND_ERR_CONNECT_TIMEOUT: 'the connection to the target could not be made in time',
  UND_ERR_SOCKET: 'the target closed the connection before the response was complete',
  UND_ERR_HEADERS_OVERFLOW: 'the response headers are too large',
  CLIENT_CLOSED: 'the worker was shutting down',
};

const TLS =
  /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH$|INVALID_CA$|PATH_LENGTH_EXCEEDED$|ERROR_IN_CERT_)/;

/** A sentence for people, with the code for those who search. */
export function networkReason(code: string, message: string): string {
  if (TLS.test(code)) return `TLS: ${message} (${code})`;
  if (code.startsWith('HPE_')) return `the response is not valid HTTP (${code})`;
  const reason = Object.hasOwn(REASONS, code) ? REASONS[code] : message;
  return `${reason} (${code})`;
}

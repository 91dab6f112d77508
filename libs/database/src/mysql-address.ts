import { type CaFile, serverTls } from '#config';

/** Where and as whom, from a mysql:// URL, in the driver's words. With a file the server has to show a certificate. */
export function mySqlAddress(url: string, ca: CaFile | null = null) {
  const at = new URL(url);
  return {
    host: at.hostname.replace(/^\[|\]$/g, ''),
    port: Number(at.port || 3306),
    user: decodeURIComponent(at.username),
    password: decodeURIComponent(at.password),
    database: decodeURIComponent(at.pathname.slice(1)),
    timezone: 'Z',
    ...(ca === null
      ? // MySQL 8's default login without TLS: the server hands out the key its password is encrypted with.
        { allowPublicKeyRetrieval: true }
      : { ssl: serverTls(ca, at.hostname) }),
  };
}

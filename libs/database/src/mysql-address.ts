/** Where and as whom, from a mysql:// URL, in the driver's words. */
export function mySqlAddress(url: string) {
  const at = new URL(url);
  return {
    host: at.hostname,
    port: Number(at.port || 3306),
    user: decodeURIComponent(at.username),
    password: decodeURIComponent(at.password),
    database: decodeURIComponent(at.pathname.slice(1)),
    timezone: 'Z',
    // MySQL 8's default login without TLS: the server hands out the key its password is encrypted with.
    allowPublicKeyRetrieval: true,
  };
}

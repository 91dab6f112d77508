import { isIP } from 'node:net';
import { type CaFile, certificatesOf } from './ca-file.js';

/** What a driver is told about a server that has to prove who it is. */
export interface ServerTls {
  ca?: string[];
  /** Said aloud, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn it off. */
  rejectUnauthorized: true;
  host: string;
  servername?: string;
}

/** The certificate must come from that authority and be for that host. */
export function serverTls(file: CaFile | null, hostname: string): ServerTls {
  const host = hostname.replace(/^\[|\]$/g, '');
  const ca = file === null ? undefined : certificatesOf(file);
  return { ...(ca && { ca }), rejectUnauthorized: true, host, ...(isIP(host) === 0 && { servername: host }) };
}

/** Where a PostgreSQL is, in its driver's words. Without a file the URL says whether, and how, it is encrypted. */
export function postgresAddress(url: string, file: CaFile | null): { connectionString: string; ssl?: ServerTls } {
  if (file === null) return { connectionString: url };
  const at = new URL(url);
  // What the URL says would win over what is given beside it.
  for (const name of ['ssl', 'sslmode']) at.searchParams.delete(name);
  return { connectionString: at.href, ssl: serverTls(file, at.hostname) };
}

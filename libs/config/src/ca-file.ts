import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import { NotAllowed } from './not-allowed.js';

/** Whom to trust: the certificates of a file, or (`certificates` null) the public authorities that Node.js knows. */
export interface CaFile {
  readonly path: string;
  readonly certificates: readonly string[] | null;
}

const SYSTEM = 'system';
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Throws NotAllowed, saying what is wrong with the file. */
export function readCaFile(path: string): CaFile {
  if (path === SYSTEM) return { path, certificates: null };
  const certificates = textOf(path).match(PEM) ?? [];
  if (certificates.length === 0) throw new NotAllowed('the file has no certificate in it');
  for (const certificate of certificates) check(certificate);
  return { path, certificates };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new NotAllowed(code === 'ENOENT' ? 'there is no such file' : `it cannot be read: ${code}`);
  }
}

function check(certificate: string): void {
  try {
    new X509Certificate(certificate);
  } catch {
    throw new NotAllowed('the file has a damaged certificate in it');
  }
}

/** For a connection to one server that is ours: its own authority and no other, unless `system` was asked for. */
export const certificatesOf = ({ certificates }: CaFile): string[] | undefined => certificates?.slice();

/** For calls to anybody: the public authorities and those of the file. Undefined: Node.js' own choice will do. */
export function trustedOf(file: CaFile | null): string[] | undefined {
  if (file?.certificates == null) return undefined;
  // Since 22.15, and then with what NODE_EXTRA_CA_CERTS names.
  const { getCACertificates } = tls as { getCACertificates?: (of: 'default') => string[] };
  return [...(getCACertificates?.('default') ?? tls.rootCertificates), ...file.certificates];
}

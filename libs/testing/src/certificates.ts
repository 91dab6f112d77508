import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDir, removeDir } from './servers/temp-dir.js';

export interface Certificate {
  certFile: string;
  keyFile: string;
  cert: string;
  key: string;
}

/** An authority of one test's own, made by openssl. */
export interface Authority extends Certificate {
  /** Signs a certificate for these: `DNS:localhost`, `IP:127.0.0.1`. */
  issue(name: string, subjects: string[]): Certificate;
  remove(): void;
}

export function makeAuthority(): Authority {
  const folder = makeTempDir('certificates');
  const own = make(folder, 'authority', ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign'], []);
  return {
    ...own,
    issue: (name, subjects) => {
      const extensions = ['basicConstraints=critical,CA:FALSE', `subjectAltName=${subjects.join(',')}`];
      return make(folder, name, extensions, ['-CA', own.certFile, '-CAkey', own.keyFile]);
    },
    remove: () => removeDir(folder),
  };
}

function make(folder: string, name: string, extensions: string[], signer: string[]): Certificate {
  const [certFile, keyFile] = [path.join(folder, `${name}.pem`), path.join(folder, `${name}.key`)];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
  const added = extensions.flatMap((extension) => ['-addext', extension]);
  const args = ['req', '-x509', '-days', '2', '-subj', `/CN=${name}`, ...key, ...added, ...signer, '-out', certFile];
  execFileSync('openssl', args, { stdio: 'pipe' });
  // Servers read them under accounts of their own.
  fs.chmodSync(keyFile, 0o644);
  return { certFile, keyFile, cert: fs.readFileSync(certFile, 'utf8'), key: fs.readFileSync(keyFile, 'utf8') };
}

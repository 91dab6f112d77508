import fs from 'node:fs';
import path from 'node:path';

/** Where a program is, or undefined. Servers often live in sbin folders that are not on a user's PATH. */
export function findBinary(...names: string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/usr/local/sbin', '/usr/libexec'];
  return names
    .flatMap((name) => folders.filter(Boolean).map((folder) => path.join(folder, name)))
    .find((file) => isExecutable(file));
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

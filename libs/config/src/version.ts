import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The version of the product, from the package.json above this file, wherever it was built to. */
export const VERSION = versionAbove(import.meta.dirname);

function versionAbove(folder: string): string {
  try {
    const file = readFileSync(path.join(folder, 'package.json'), 'utf8');
    const { name, version } = JSON.parse(file) as { name?: string; version?: string };
    if (name === 'punctual' && version) return version;
  } catch {
    // Not here: further up.
  }
  const above = path.dirname(folder);
  return above === folder ? 'unknown' : versionAbove(above);
}

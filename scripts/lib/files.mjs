import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** Every file below `folder` that `wanted` accepts, sorted; a folder that is not there has none. */
export function filesBelow(folder, wanted = () => true) {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .filter(wanted)
    .sort();
}

/** Of names and contents, so that a checkout or a touch alone changes nothing. */
export function hashOf(files, ...more) {
  const hash = createHash('sha256');
  for (const file of files) {
    const content = read(file);
    if (content === undefined) continue;
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  for (const text of more) hash.update(`\0${text}`);
  return hash.digest('hex');
}

function read(file) {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

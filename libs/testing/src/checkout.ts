import fs from 'node:fs';
import path from 'node:path';

/** The folder of the project, from its sources and from what was built of them. */
export const checkout: string = findUp(import.meta.dirname);

function findUp(folder: string): string {
  if (fs.existsSync(path.join(folder, 'package.json'))) return folder;
  return findUp(path.dirname(folder));
}

import fs from 'node:fs';
import path from 'node:path';
import { filesBelow, hashOf } from './files.mjs';
import { run } from './run.mjs';

const PROVIDERS = ['postgresql', 'mysql'];
const OUTPUT = 'libs/database/src/generated';

export function schemaHash(root) {
  const schemas = filesBelow(path.join(root, 'prisma'), (file) => file.endsWith('.prisma'));
  const files = [...schemas, path.join(root, 'prisma.config.ts'), path.join(root, 'node_modules/prisma/package.json')];
  return hashOf(files);
}

export function areClientsThere(root) {
  return PROVIDERS.every((provider) => fs.existsSync(path.join(root, OUTPUT, provider, 'client.ts')));
}

/** Both clients at once: each takes its time mostly waiting for its own process to load. */
export async function generateClients(root) {
  const cli = path.join(root, 'node_modules/prisma/build/index.js');
  await Promise.all(
    PROVIDERS.map((provider) =>
      run(process.execPath, [cli, 'generate', '--no-hints'], {
        cwd: root,
        env: { DB_PROVIDER: provider, CHECKPOINT_DISABLE: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1' },
      }),
    ),
  );
}

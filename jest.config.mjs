import { readFileSync } from 'node:fs';

const swcrc = JSON.parse(readFileSync(new URL('./.swcrc', import.meta.url), 'utf8'));
delete swcrc.$schema;

const shared = {
  rootDir: '.',
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['ts', 'mts', 'js', 'mjs', 'cjs', 'json'],
  // './foo.js' in a TypeScript source is foo.ts
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.ts', '$1.js'] },
  // package.json "imports": '#domain' -> its "source" (TypeScript) target
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swcrc, swcrc: false }] },
  modulePathIgnorePatterns: ['<rootDir>/dist'],
};

/**
 * unit: pure, no servers. integration: once per stack, see scripts/test.mjs; as a whole in groups, see scripts/lib/spec-groups.mjs. e2e: the
 * built product as processes.
 */
export default {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      setupFiles: ['<rootDir>/jest.setup.mjs'],
      testMatch: ['<rootDir>/{apps,libs,scripts,test/faults,test/model,test/security}/**/*.spec.ts'],
    },
    { ...shared, displayName: 'integration', testMatch: ['<rootDir>/test/integration/**/*.spec.ts'] },
    { ...shared, displayName: 'groups', testMatch: ['<rootDir>/test/.groups/*.spec.ts'] },
    { ...shared, displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.spec.ts'] },
  ],
  // For the busiest of machines: only a test that hangs uses it up.
  testTimeout: 120_000,
};

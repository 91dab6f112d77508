// The order of dependence: domain <- config <- {database, queue, outbound, shell} <- pipeline <- apps.
// A folder may import only what stands to the left of it; adapters do not know one another.
const layer = (name, from, allowed) => ({
  name,
  severity: 'error',
  comment: `${from} may import only: ${allowed.join(', ') || 'nothing of ours'}`,
  from: { path: `^${from}/` },
  to: { path: '^(apps|libs|test|bench)/', pathNot: [from, ...allowed].map((folder) => `^${folder}/`) },
});
const adapters = ['libs/database', 'libs/queue', 'libs/outbound', 'libs/shell'];
const below = ['libs/domain', 'libs/config'];
// Specs may also lean on libs/testing, which itself may use everything below the apps.
const production = '\\.(spec|e2e-spec)\\.ts$';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: { pathNot: 'generated' }, to: { circular: true } },
    {
      name: 'domain-is-pure',
      severity: 'error',
      comment: 'no clock, no socket, no random number, no framework in the domain',
      from: { path: '^libs/domain/', pathNot: production },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev'], pathNot: 'node_modules/cronstrue' },
    },
    layer('domain-imports-nothing', 'libs/domain', []),
    layer('config-imports-domain', 'libs/config', ['libs/domain']),
    ...adapters.map((folder) => layer(`${folder.slice(5)}-is-an-adapter`, folder, below)),
    layer('pipeline-stands-on-adapters', 'libs/pipeline', [...below, ...adapters]),
    layer('apps-stand-on-libs', 'apps', ['libs']),
    {
      name: 'testing-is-for-tests',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: ['^libs/testing/', production] },
      to: { path: '^libs/testing/' },
    },
    {
      name: 'use-the-front-door',
      severity: 'error',
      comment: 'from outside a lib, import its index',
      from: { path: '^(apps|libs)/([^/]+)/' },
      to: { path: '^libs/([^/]+)/src/(?!index\\.ts$)', pathNot: '^libs/$2/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(generated|dist)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { conditionNames: ['source', 'import', 'default'], exportsFields: ['exports'] },
  },
};

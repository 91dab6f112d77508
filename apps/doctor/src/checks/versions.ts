import { advice, type Finding, ok, wrong } from '../finding.js';

/** The oldest that are known to do. */
const OLDEST = { 'Node.js': '20.19', PostgreSQL: '14', MySQL: '8.0', MariaDB: '10.6', Redis: '6.2' };
type Product = keyof typeof OLDEST;

/** `found` begins with the version: "18.4 (Debian)", "10.11.6-MariaDB". */
export function checkVersion(product: Product, found: string): Finding {
  const version = /\d+(\.\d+)*/.exec(found)?.[0];
  if (version === undefined) return advice('versions', `${product} does not say which it is`, 'compare it yourself');
  if (isBelow(version, OLDEST[product]))
    return wrong('versions', `${product} ${version} is too old`, `use ${product} ${OLDEST[product]} or newer`);
  return ok('versions', `${product} ${version}`);
}

/** As the database says it: the product's name first. */
export function checkDatabaseVersion(said: string): Finding {
  const product = (['PostgreSQL', 'MariaDB', 'MySQL'] as const).find((name) => said.startsWith(name));
  return product === undefined
    ? advice('versions', said, 'this database is not known to do')
    : checkVersion(product, said.slice(product.length));
}

function isBelow(version: string, oldest: string): boolean {
  const [has, needs] = [version, oldest].map((text) => text.split('.').map(Number));
  for (const [place, need] of needs.entries()) if ((has[place] ?? 0) !== need) return (has[place] ?? 0) < need;
  return false;
}

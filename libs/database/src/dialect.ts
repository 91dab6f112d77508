/** The two families of SQL we speak. Only libs/database knows which one it is on. */
export type Dialect = 'postgresql' | 'mysql';

export function dialectOf(url: string): Dialect {
  return /^(mysql|mariadb):/.test(url) ? 'mysql' : 'postgresql';
}

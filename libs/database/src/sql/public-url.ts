import type { Statement } from '../sql.js';

/** in: the address */
export const KEEP_PUBLIC_URL: Statement = {
  postgresql: "UPDATE deployment SET public_url = $1 WHERE name = 'deployment'",
  mysql: "UPDATE deployment SET public_url = ? WHERE name = 'deployment'",
};

export const READ_PUBLIC_URL: Statement = {
  postgresql: "SELECT public_url FROM deployment WHERE name = 'deployment'",
  mysql: "SELECT public_url FROM deployment WHERE name = 'deployment'",
};

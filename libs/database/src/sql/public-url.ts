import type { Statement } from '../sql.js';

/** What somebody has given is replaced by what somebody gives, not by what an API without a PUBLIC_URL takes for its address. */
export const KEEP_PUBLIC_URL: Statement = {
  postgresql: `INSERT INTO deployment AS d (name, public_url, is_given) VALUES ('deployment', $1, $2)
    ON CONFLICT (name) DO UPDATE SET public_url = excluded.public_url, is_given = excluded.is_given
    WHERE excluded.is_given OR NOT d.is_given`,
  // In this order: an assignment sees what those before it have assigned.
  mysql: `INSERT INTO deployment (name, public_url, is_given) VALUES ('deployment', ?, ?)
    ON DUPLICATE KEY UPDATE public_url = IF(VALUES(is_given) OR NOT is_given, VALUES(public_url), public_url),
      is_given = is_given OR VALUES(is_given)`,
};

export const READ_PUBLIC_URL: Statement = {
  postgresql: "SELECT public_url FROM deployment WHERE name = 'deployment'",
  mysql: "SELECT public_url FROM deployment WHERE name = 'deployment'",
};

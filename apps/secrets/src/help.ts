export const HELP = `npm run secrets:rotate [-- --check]

Seals every secret in the database (headers of tasks that are secret, keys of notices) with the first key of SECRET_KEYS. Also
seals headers that lie there unencrypted, from a time without a key. Safe while everything is running, and safe to break
off: what is done stays done, and the next time goes on with the rest.

  --check        changes nothing, says which key seals how many, and whether all of them can be opened
  --help         this text

To replace a key: put the new one in front (SECRET_KEYS=new:…,old:…) for every API and worker, and restart them; run this; take the
old one away once --check says that nothing needs it.

Settings come from the environment or from a file .env beside package.json.

  SECRET_KEYS    comma-separated <name>:<base64 of 32 bytes>, as the API and the workers have it. Empty: DATA_DIR/secret.key of \`npm start\`
  DATABASE_URL   postgresql://… or mysql://…
  DATA_DIR       without DATABASE_URL: where \`npm start\` keeps the embedded PostgreSQL, which must be running   .data

Exit codes: 0 everything is sealed with the first key; 1 something is not; 2 could not look.
More: docs/security.md`;

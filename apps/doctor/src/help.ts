export const HELP = `npm run doctor [-- --dry-run]

Looks at the settings, the versions of the servers, the clocks, Redis (what it does when it is full, whether it keeps what it has), the
migrations and the indexes: each is fine (✓), worth knowing (!) or wrong (✗), with what to do about it (→).

Then compares the counters of all tasks with their runs, and puts right what differs: counters, runs that nobody would look at,
runs that wait though there is room, runs of deleted tasks. Safe while everything is running; nothing needs to be stopped.

  --dry-run      says what is wrong and changes nothing
  --help         this text

It needs the database; with REDIS_URL it asks Redis as well. Settings come from the environment or from a file .env beside package.json.

  DATABASE_URL   postgresql://… or mysql://…
  REDIS_URL      redis://…, where the queue is there
  DATA_DIR       without DATABASE_URL: where \`npm start\` keeps the embedded PostgreSQL, which must be running   .data

Exit codes: 0 all is well, or was put right; 1 something is wrong (counters: with --dry-run), or could not be put right; 2 could not check.
More: docs/operations.md`;

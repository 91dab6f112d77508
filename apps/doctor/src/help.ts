export const HELP = `npm run doctor [-- --dry-run]

Compares the counters of all tasks with their runs, and puts right what differs: counters, runs that nobody would look at,
runs that wait though there is room, runs of deleted tasks. Safe while everything is running; nothing needs to be stopped.

  --dry-run      says what is wrong and changes nothing
  --help         this text

It needs the database alone. Settings come from the environment or from a file .env beside package.json.

  DATABASE_URL   postgresql://… or mysql://…
  DATA_DIR       without DATABASE_URL: where \`npm start\` keeps the embedded PostgreSQL, which must be running   .data

Exit codes: 0 all is well, or was put right; 1 something is wrong (with --dry-run), or could not be put right; 2 could not check.
More: docs/operations.md`;

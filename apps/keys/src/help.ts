export const HELP = `npm run keys:create [-- options]

Makes an API key and shows it, this one time: only its hash is kept. The first key of a deployment comes from here; others
can be made with it, by POST /api/v1/api-keys.

  --name <text>      whose it is, or what for; stands in the audit log    the role, in small letters
  --role <role>      VIEWER, OPERATOR, EDITOR or ADMIN                    ADMIN
  --tenant <name>    whose tasks and runs it is for                       default
  --root             for the whole deployment instead of one tenant
  --expires <time>   90d, 12h, 30m                                        never
  --help             this text

It needs the database alone. Settings come from the environment or from a file .env beside package.json.

  DATABASE_URL   postgresql://… or mysql://…
  DATA_DIR       without DATABASE_URL: where \`npm start\` keeps the embedded PostgreSQL, which must be running   .data

In a container: docker compose exec api node dist/apps/keys/src/main.js
The key alone goes to standard output, everything else to standard error. More: docs/access.md`;

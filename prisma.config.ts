import { defineConfig } from 'prisma/config';

// `prisma generate` runs no native engine, yet the CLI looks for one on disk and downloads it when it is missing.
// Any existing file satisfies it. Only for the commands that never start that engine.
if (['generate', 'validate', 'format'].some((command) => process.argv.includes(command))) {
  process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;
}

// One models file, two databases: DB_PROVIDER=mysql|postgresql (default postgresql).
const provider = process.env.DB_PROVIDER === 'mysql' ? 'mysql' : 'postgresql';

export default defineConfig({
  schema: `prisma/${provider}`,
  migrations: { path: `prisma/${provider}/migrations` },
  datasource: { url: process.env.DATABASE_URL ?? '' },
});

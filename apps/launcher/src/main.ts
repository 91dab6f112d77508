import { ConfigError, loadEnvironment, readConfig } from '#config';
import { Launcher } from './launcher.js';
import { StartupError } from './startup-error.js';

/** npm hands a terminal's Ctrl-C on to us, which the terminal has sent us already: the two are one wish. */
const SAME_WISH_MS = 500;

const say = (line: string) => process.stdout.write(`› ${line}\n`);

function explain(error: unknown): string {
  if (error instanceof StartupError || error instanceof ConfigError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function listen(launcher: Launcher, stop: (code: number) => void): void {
  let firstAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (firstAt === undefined) {
      firstAt = Date.now();
      say(`stopping (${signal}; once more kills at once)`);
      stop(0);
    } else if (Date.now() - firstAt > SAME_WISH_MS) {
      launcher.killNow();
      process.exit(130);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  // A terminal that was closed cannot be written to; that must not keep us from stopping the rest.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

async function main(): Promise<void> {
  const env = loadEnvironment();
  const fail = (error: unknown) => {
    process.stderr.write(`✗ ${explain(error)}\n`);
    stop(1);
  };
  const launcher = new Launcher(readConfig(env), env, say, fail);
  let exitCode = 0;
  const stop = (code: number) => {
    exitCode ||= code;
    void launcher.stop().finally(() => process.exit(exitCode));
  };
  listen(launcher, stop);
  process.on('uncaughtException', fail);
  await launcher.start().catch(fail);
}

main().catch((error: unknown) => {
  process.stderr.write(`✗ ${explain(error)}\n`);
  process.exit(1);
});

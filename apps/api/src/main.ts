import { createLogger, type ServerConfig, serverConfigOrExit } from '#config';
import { forgiveLostConnections, openPlatform, tellAddress, waitUntilReady } from '#pipeline';
import { createApp } from './create-app.js';
import { FrontDoor } from './front-door.js';

async function main(config: ServerConfig): Promise<void> {
  const log = createLogger(config, 'api');
  forgiveLostConnections(log);
  const platform = openPlatform(config, log);
  const door = new FrontDoor(platform);
  const stopping = new AbortController();
  let close = async (): Promise<unknown> => Promise.all([door.close(), platform.close()]);
  const stop = async () => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    log.info('stopping: answering what is under way');
    setTimeout(() => process.exit(1), config.shutdownGraceMs).unref();
    await close();
    log.info('stopped');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
  // Started by a supervisor that is gone: nobody would ever stop us.
  process.on('disconnect', () => void stop());

  const url = await door.listen();
  log.info(`listening on ${url}`);
  await waitUntilReady(platform, stopping.signal);
  const app = await createApp(config, { platform, door });
  close = () => app.close();
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  await tellAddress(platform, door.port, stopping.signal);
  door.open();
  if (!platform.secrets.canSeal) log.warn(NO_KEYS);
  log.info({ node: platform.node, scheduler: config.scheduler }, `ready: ${url}/docs`);
}

const NO_KEYS =
  'SECRET_KEYS is not set: headers such as Authorization are stored unencrypted, other secrets are refused (docs/security.md)';

main(serverConfigOrExit()).catch((error: unknown) => {
  if ((error as Error).name === 'AbortError') return;
  console.error(`the API could not start: ${reasonOf(error)}`);
  process.exit(1);
});

function reasonOf(error: unknown): string {
  const { code, message, port } = error as NodeJS.ErrnoException & { port?: number };
  return code === 'EADDRINUSE' ? `port ${port} is taken; set PORT to another one` : message;
}

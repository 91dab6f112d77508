import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { createLogger, NestLogger, type ServerConfig, serverConfigOrExit } from '#config';
import { forgiveLostConnections, openPlatform, waitUntilReady } from '#pipeline';
import { ExecuteModule } from './execute.module.js';
import { HealthServer } from './health-server.js';
import { Worker } from './worker.js';
import { keepNewObjectsYoung } from './young-objects.js';

async function main(config: ServerConfig): Promise<void> {
  const log = createLogger(config, 'worker');
  forgiveLostConnections(log);
  const platform = openPlatform(config, log);
  const stopped = new AbortController();
  const health = new HealthServer(platform);
  let close = (): Promise<void> => platform.close();
  const stop = async () => {
    if (stopped.signal.aborted) return;
    stopped.abort();
    await close();
    health.close();
    log.info('stopped');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
  // Started by a supervisor that is gone: nobody would ever stop us.
  process.on('disconnect', () => void stop());

  await health.listen();
  await waitUntilReady(platform, stopped.signal);
  const app = await NestFactory.createApplicationContext(ExecuteModule.of(platform), { logger: new NestLogger(log) });
  const worker = new Worker(app, platform);
  close = () => worker.stop();
  await worker.prepare();
  worker.start();
  health.setReady(true);
}

keepNewObjectsYoung();
main(serverConfigOrExit()).catch((error: unknown) => {
  if ((error as Error).name === 'AbortError') return;
  console.error(`worker could not start: ${(error as Error).message}`);
  process.exit(1);
});

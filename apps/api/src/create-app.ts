import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createLogger, NestLogger, type ServerConfig } from '#config';
import { openPlatform, type Platform, waitUntilReady } from '#pipeline';
import { addDoorkeeper } from './access/add-doorkeeper.js';
import { Doorkeeper } from './access/doorkeeper.js';
import { AppModule } from './app.module.js';
import { demoTarget } from './demo/demo-target.js';
import { docsPages } from './docs/docs-pages.js';
import { openApi } from './docs/open-api.js';
import type { FrontDoor } from './front-door.js';
import { allowLargeBatches } from './http/body-limit.js';
import { fastifyOptions } from './http/fastify-options.js';
import { ProblemFilter } from './http/problem.filter.js';
import { addRequestHooks, takeJsonOnly } from './http/request-hooks.js';
import { addRequestSpans } from './http/request-spans.js';
import { ValidationPipe } from './http/validation.pipe.js';

export interface AppParts {
  /** Opened, and waited for, when it is not given. */
  platform?: Platform;
  /** The server that already listens; without it the app has its own. */
  door?: FrontDoor;
}

/** The whole API, ready to `listen`. */
export async function createApp(config: ServerConfig, parts: AppParts = {}): Promise<NestFastifyApplication> {
  const platform = parts.platform ?? (await readyPlatform(config));
  const options = fastifyOptions(config);
  const adapter = parts.door?.adapter(options) ?? new FastifyAdapter(options);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.of(platform), adapter, {
    logger: new NestLogger(platform.log),
    bodyParser: false,
    abortOnError: false,
  });
  app.setGlobalPrefix('api/v1', { exclude: ['healthz', 'readyz', 'metrics'] });
  app.useGlobalPipes(new ValidationPipe());
  const filter = new ProblemFilter(platform.log);
  app.useGlobalFilters(filter);
  await addToServer(app, platform, filter);
  return app;
}

async function readyPlatform(config: ServerConfig): Promise<Platform> {
  const platform = openPlatform(config, createLogger(config, 'api'));
  await waitUntilReady(platform);
  return platform;
}

async function addToServer(app: NestFastifyApplication, platform: Platform, filter: ProblemFilter) {
  const { log, config } = platform;
  const server = app.getHttpAdapter().getInstance();
  takeJsonOnly(server);
  allowLargeBatches(server, config.bodyLimitBytes);
  addRequestHooks(server, log);
  addRequestSpans(server, platform);
  addDoorkeeper(server, app.get(Doorkeeper), filter);
  // A scope of its own is made before Nest sets its error handler and would not inherit it.
  await server.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => filter.answer(error, request, reply));
    await scope.register(docsPages(() => openApi(app)));
    if (config.demoTarget) await scope.register(demoTarget);
  });
}

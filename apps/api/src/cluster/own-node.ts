import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { NodeKeeper, nodeRegister, PLATFORM, type Platform } from '#pipeline';

type Drain = (draining: boolean) => void;

/** This process among the others: says that it is there, and passes on what it is told. */
@Injectable()
export class OwnNode implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly keeper: NodeKeeper;
  private readonly drains: Drain[] = [];
  private requests = 0;

  constructor(
    @Inject(PLATFORM) platform: Platform,
    private readonly adapter: HttpAdapterHost,
  ) {
    const { config, log } = platform;
    const duty = {
      load: () => this.requests,
      // What it answers is answered in any case: a drained scheduler is one that does not tick.
      isIdle: () => true,
      drain: (draining: boolean) => this.drains.forEach((tell) => tell(draining)),
      // It holds nothing that others could have taken over: all it does is in the database, or nowhere.
      loseTouch: () => undefined,
      regainTouch: () => undefined,
    };
    const register = nodeRegister(platform, config.scheduler ? 'SCHEDULER' : 'API', null);
    this.keeper = new NodeKeeper(register, duty, { leaseMs: config.leaseSeconds * 1000 }, log);
  }

  onDrain(tell: Drain): void {
    this.drains.push(tell);
  }

  onApplicationBootstrap(): void {
    const server = this.adapter.httpAdapter.getHttpServer() as Server;
    server.on('request', (_request: IncomingMessage, response: ServerResponse) => {
      this.requests++;
      response.once('close', () => this.requests--);
    });
    this.keeper.start();
  }

  beforeApplicationShutdown(): void {
    this.keeper.leave();
  }

  /** The last thing before the connections are closed. */
  stop(): Promise<void> {
    return this.keeper.stop();
  }
}

import type { INestApplicationContext } from '@nestjs/common';
import axios, { type AxiosInstance, type AxiosResponse } from 'axios';
import { PLATFORM, type Platform, tellAddress } from '#pipeline';
import type { Stack } from '#testing';
import { createApp } from '../../apps/api/src/create-app.js';
import { configFor } from './product.js';

export interface RunningApi {
  url: string;
  /** Answers with any status; relative to /api/v1. */
  http: AxiosInstance;
  platform: Platform;
  app: INestApplicationContext;
  stop(): Promise<void>;
}

/** The API inside the test's own process, over real HTTP; without a scheduler unless asked for. */
export async function startApi(stack: Stack, env: Record<string, string> = {}): Promise<RunningApi> {
  const app = await createApp(configFor(stack, { SCHEDULER: 'disabled', ...env }));
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const platform = app.get<Platform>(PLATFORM);
  await tellAddress(platform, Number(new URL(url).port));
  const http = axios.create({ baseURL: `${url}/api/v1`, validateStatus: () => true });
  return { url, http, platform, app, stop: () => app.close() };
}

let count = 0;

/** The smallest task there is; say only what the test is about. */
export function taskBody(fields: object = {}) {
  return { name: `task-${process.pid}-${++count}`, target_url: 'http://127.0.0.1:9/hook', ...fields };
}

/** The field names of a 422. */
export const fieldsOf = ({ data }: AxiosResponse): string[] =>
  ((data as { errors?: { field: string }[] }).errors ?? []).map(({ field }) => field);

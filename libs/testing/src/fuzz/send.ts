import { Agent, request as httpRequest } from 'node:http';
import type { FuzzRequest } from './fuzz-request.js';

export interface Answered {
  /** 0: nothing came, or not in time; `text` says what. */
  status: number;
  type: string;
  text: string;
  ms: number;
}

export type Send = (request: FuzzRequest) => Promise<Answered>;

/** Sends to one server, and waits for the whole answer, but not for ever. */
export function sender(base: string, connections: number, timeoutMs: number): { send: Send; close: () => void } {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(base);
  const send: Send = ({ method, path, headers, body }) =>
    new Promise((resolve) => {
      const began = performance.now();
      const end = (status: number, type: string, text: string) =>
        resolve({ status, type, text, ms: performance.now() - began });
      const data = body === undefined ? undefined : Buffer.from(body);
      const length = data === undefined ? {} : { 'content-length': String(data.length) };
      try {
        const signal = AbortSignal.timeout(timeoutMs);
        const call = httpRequest({ agent, hostname, port, method, path, headers: { ...headers, ...length }, signal });
        call.on('error', (error) => end(0, '', error.message));
        call.on('response', (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('error', (error) => end(0, '', error.message));
          response.on('end', () => end(response.statusCode ?? 0, response.headers['content-type'] ?? '', text));
        });
        call.end(data);
      } catch (error) {
        end(-1, '', (error as Error).message);
      }
    });
  return { send, close: () => agent.destroy() };
}

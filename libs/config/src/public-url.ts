import type { Config } from './settings.js';

/** How this machine reaches an API that listens there: "every address" is not one to connect to. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::' || host === '[::]') return '[::1]';
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

/** What callback addresses begin with, without a slash at the end. */
export function publicUrlOf({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>): string {
  return (publicUrl ?? `http://${reachableHost(host)}:${port}`).replace(/[?#].*$/, '').replace(/\/+$/, '');
}

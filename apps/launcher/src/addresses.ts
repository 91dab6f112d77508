import type { Config } from '#config';

/** How this machine reaches an API that listens there: "every address" is not one to connect to. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::' || host === '[::]') return '[::1]';
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

export const baseUrl = (host: string, port: number): string => `http://${reachableHost(host)}:${port}`;

/** The demo target is private by nature; exactly it is opened, on top of what the person allows. */
export function allowDemoTarget({ outboundAllow }: Pick<Config, 'outboundAllow'>, host: string, port: number): string {
  return [...outboundAllow, `${reachableHost(host)}:${port}`].join(',');
}

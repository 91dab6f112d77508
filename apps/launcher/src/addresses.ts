import { type Config, reachableHost } from '#config';

export const baseUrl = (host: string, port: number): string => `http://${reachableHost(host)}:${port}`;

/** The demo target is private by nature; exactly it is opened, on top of what the person allows. */
export function allowDemoTarget({ outboundAllow }: Pick<Config, 'outboundAllow'>, host: string, port: number): string {
  return [...outboundAllow, `${reachableHost(host)}:${port}`].join(',');
}

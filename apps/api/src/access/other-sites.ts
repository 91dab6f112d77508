import type { IncomingHttpHeaders } from 'node:http';
import { isLoopbackName } from '#config';
import { Forbidden } from '#domain';

const HINT =
  'without keys (AUTH_MODE=none) only this machine is answered, as localhost, 127.0.0.1 or [::1], and no page of another site; use such a name, or set AUTH_MODE=keys';

/**
 * A loopback address keeps other machines out, but not the pages in a browser here: one may send requests to it, or give it a
 * name of its own (DNS rebinding) and read the answers. A browser says both, so where nobody is asked for a key both are refused.
 */
export function refuseOtherSites({ host, origin, 'sec-fetch-site': site }: IncomingHttpHeaders): void {
  if (host !== undefined && !isLoopbackName(nameIn(host)))
    throw new Forbidden(`this was sent to another name: ${HINT}`);
  if (site === 'cross-site' || (origin !== undefined && !isLoopbackOrigin(origin))) {
    throw new Forbidden(`this comes from another site: ${HINT}`);
  }
}

const nameIn = (host: string): string => host.replace(/:\d*$/, '');

function isLoopbackOrigin(origin: string): boolean {
  try {
    return isLoopbackName(new URL(origin).hostname);
  } catch {
    return false;
  }
}

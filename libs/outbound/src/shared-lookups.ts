import type { LookupAddress } from 'node:dns';

/** All addresses of a name. Injected by tests; the system's resolver otherwise. */
export type ResolveAll = (
  hostname: string,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

type Answer = Parameters<ResolveAll>[1];

/** libuv's, unless UV_THREADPOOL_SIZE says otherwise. */
const USUAL_THREADS = 4;
/** So many domains would have to be silent until there is no thread left for the others. */
const PARTS = 8;

/** How many lookups one domain may have at once: half of the threads are for lookups. One takes milliseconds, and connections are kept. */
export function lookupsPerDomain(threads: string | undefined): number {
  const forLookups = ((Number(threads) || USUAL_THREADS) + 1) / 2;
  return Math.max(1, Math.floor(forLookups / PARTS));
}

interface Domain {
  running: number;
  line: string[];
}

/**
 * Lookups that share the few threads there are for them: the system's resolver holds one until its name server answers, or for half a
 * minute if it never does, whatever becomes of who asked. So a name is asked for once at a time, and names of one domain have only so
 * many threads; the others of a domain that does not answer wait in line.
 */
export class SharedLookups {
  /** Who waits for each name that is asked for, or is in line. */
  private readonly asking = new Map<string, Answer[]>();
  private readonly domains = new Map<string, Domain>();

  constructor(
    private readonly resolve: ResolveAll,
    private readonly perDomain: number,
  ) {}

  readonly lookup: ResolveAll = (hostname, callback) => {
    const others = this.asking.get(hostname);
    if (others !== undefined) {
      others.push(callback);
      return;
    }
    this.asking.set(hostname, [callback]);
    const domain = this.domainOf(hostname);
    if (domain.running < this.perDomain) this.ask(hostname, domain);
    else domain.line.push(hostname);
  };

  private ask(hostname: string, domain: Domain): void {
    domain.running++;
    this.resolve(hostname, (error, addresses) => {
      const waiting = this.asking.get(hostname) ?? [];
      this.asking.delete(hostname);
      this.leave(hostname, domain);
      for (const callback of waiting) callback(error, addresses);
    });
  }

  private leave(hostname: string, domain: Domain): void {
    domain.running--;
    const next = domain.line.shift();
    if (next !== undefined) this.ask(next, domain);
    else if (domain.running === 0) this.domains.delete(domainName(hostname));
  }

  private domainOf(hostname: string): Domain {
    const name = domainName(hostname);
    const known = this.domains.get(name);
    if (known !== undefined) return known;
    const domain = { running: 0, line: [] };
    this.domains.set(name, domain);
    return domain;
  }
}

/** Its last two labels: under some ends that is more than one owner's, who then share. */
const domainName = (hostname: string): string =>
  hostname.toLowerCase().replace(/\.$/, '').split('.').slice(-2).join('.');

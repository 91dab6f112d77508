/** Whether an address is only reachable from this machine: what a local start listens on. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Whether a name can be nobody else's than this machine's: browsers never ask a name server about `localhost`. */
export function isLoopbackName(name: string): boolean {
  return isLoopback(name.toLowerCase()) || /\.localhost$/i.test(name);
}

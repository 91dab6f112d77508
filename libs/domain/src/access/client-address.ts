/** Who counts as one caller: an IPv4 address, or the /64 of an IPv6 one, of which a single host has all it wants. */
export function addressGroup(address: string): string {
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address);
  if (mapped) return mapped[1];
  if (!address.includes(':')) return address;
  const [head, tail] = address.split('%', 1)[0].toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right];
  return `${groups.slice(0, 4).map(plainGroup).join(':')}::/64`;
}

const plainGroup = (group: string): string => group.replace(/^0+(?=.)/, '');

/**
 * The key by which clients are rate-limited: an IPv4 address, or the /64 network of an IPv6 address, since a client can
 * use any address of its /64.
 */
export function clientNetwork(address: string): string {
  // IPv4, or IPv4-mapped IPv6.
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const last = groups(tail ?? '');
  const zeros = Array<string>(Math.max(0, 8 - groups(head).length - last.length)).fill('0');
  const all = tail === undefined ? groups(head) : [...groups(head), ...zeros, ...last];
  return `${all
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/**
 * What the clients of one place are counted by: an IPv4 address, or the first 64 bits of an IPv6 address, since a network gives its members as many of
 * the others as they like.
 */
export function clientNetwork(address: string): string {
  // An IPv4 address, mapped to IPv6 or not.
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

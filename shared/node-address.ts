/**
 * Where a node may be: an address that the service may open connections to. Only the usual way to write an address counts, since `2130706433`,
 * `0x7f.1` and `::ffff:127.0.0.1` mean to a resolver what a list of refused texts does not see.
 */

/** The one text of an address: IPv4 as it is, IPv6 shortened and in lower case; undefined for anything that is no literal. */
export function canonicalAddress(text: string): string | undefined {
  if (bytesOfIpv4(text)) return text;
  if (!/^[0-9A-Fa-f:.]{2,45}$/.test(text) || !text.includes(':')) return undefined;
  const url = URL.parse(`http://[${text}]`);
  return url === null ? undefined : url.hostname.slice(1, -1);
}

export function isLoopback(canonical: string): boolean {
  return canonical === '::1' || bytesOfIpv4(canonical)?.[0] === 127;
}

/** Whether an address is a server's at all, loopback aside. */
export function isServerAddress(canonical: string): boolean {
  const bytes = bytesOfIpv4(canonical);
  if (bytes) return isServerIpv4(bytes);
  const groups = groupsOfIpv6(canonical);
  return !refusedIpv6.some(({ prefix, bits }) => startsWith(groups, prefix, bits));
}

/** Private ranges are servers' too. */
const isServerIpv4 = ([first = 0, second]: number[]): boolean =>
  // this network; link-local, with the metadata services of clouds; multicast, reserved and broadcast
  first !== 0 && !(first === 169 && second === 254) && first < 224;

/** An IPv6 address that holds an IPv4 one is refused whole: who has that one can say so. */
const refusedIpv6: readonly { prefix: readonly number[]; bits: number }[] = [
  // unspecified and IPv4-compatible; `::1`, which is among them, is asked for apart
  { prefix: [0, 0, 0, 0, 0, 0], bits: 96 },
  // IPv4-mapped
  { prefix: [0, 0, 0, 0, 0, 0xffff], bits: 96 },
  // translated to IPv4: NAT64, also of the local kind
  { prefix: [0x64, 0xff9b], bits: 32 },
  // 6to4 and Teredo
  { prefix: [0x2002], bits: 16 },
  { prefix: [0x2001, 0], bits: 32 },
  // link-local, site-local, multicast
  { prefix: [0xfe80], bits: 9 },
  { prefix: [0xff00], bits: 8 },
  // the metadata service of EC2
  { prefix: [0xfd00, 0xec2], bits: 32 },
];

const startsWith = (groups: number[], prefix: readonly number[], bits: number): boolean =>
  Array.from({ length: bits }, (_, bit) => bit).every((bit) => {
    const mask = 0x8000 >> (bit % 16);
    return ((groups[bit >> 4] ?? 0) & mask) === ((prefix[bit >> 4] ?? 0) & mask);
  });

function bytesOfIpv4(text: string): number[] | undefined {
  // No leading zero: some read what follows it as octal.
  const part = '(0|[1-9][0-9]{0,2})';
  const found = new RegExp(`^${part}\\.${part}\\.${part}\\.${part}$`).exec(text);
  const bytes = found?.slice(1).map(Number);
  return bytes?.every((byte) => byte <= 255) ? bytes : undefined;
}

/** @param canonical as URL writes it: hexadecimal groups with at most one `::` */
function groupsOfIpv6(canonical: string): number[] {
  const [head = '', tail] = canonical.split('::');
  const groups = (text: string): number[] => (text === '' ? [] : text.split(':').map((group) => parseInt(group, 16)));
  const [first, last] = [groups(head), groups(tail ?? '')];
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}

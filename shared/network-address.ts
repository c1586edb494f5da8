import ipaddr from 'ipaddr.js';

/**
 * - `public`: a host of the Internet
 * - `private`: a host of a private network
 * - `loopback`: the machine itself
 * - `reserved`: for documentation, benchmarks or protocols
 * - `refused`: never a server: multicast, broadcast, link-local, a cloud's metadata service, or an IPv6 address that
 *   embeds an IPv4 address
 */
export type AddressKind = 'public' | 'private' | 'loopback' | 'reserved' | 'refused';

/**
 * The kind of an address. It decides whether the service may open a connection to it.
 * @param canonical an address as `canonicalAddress` writes it
 */
export function addressKind(canonical: string): AddressKind {
  const address = ipaddr.parse(canonical);
  const range = address.range();
  // Before the refused ranges: those of IPv4-compatible addresses include ::1.
  if (range === 'loopback') return 'loopback';
  const isRefused =
    address instanceof ipaddr.IPv4
      ? ipaddr.subnetMatch(address, refusedIpv4, 'none') !== 'none'
      : ipaddr.subnetMatch(address, refusedIpv6, 'none') !== 'none' || isIsatap(address.parts);
  return isRefused ? 'refused' : (kinds[range] ?? 'reserved');
}

const kinds: Readonly<Record<string, AddressKind>> = {
  unicast: 'public',
  private: 'private',
  carrierGradeNat: 'private',
  uniqueLocal: 'private',
};

const subnets = (...texts: string[]) => texts.map((text) => ipaddr.parseCIDR(text));

const refusedIpv4 = {
  notSingleHost: subnets('0.0.0.0/8', '224.0.0.0/4', '240.0.0.0/4'),
  // Includes the metadata services of most clouds.
  linkLocal: subnets('169.254.0.0/16'),
  // The host of a virtual machine in Azure, which gives its machines settings with secrets.
  azure: subnets('168.63.129.16/32'),
};

/** An IPv6 address that embeds an IPv4 address is always refused: the client can send the IPv4 address instead. */
const refusedIpv6 = {
  // IPv4-compatible, with the unspecified address; IPv4-mapped; IPv4-translated
  ipv4: subnets('::/96', '::ffff:0:0/96', '::ffff:0:0:0/96'),
  // NAT64 with the well-known prefix and the local-use prefix; 6to4; Teredo
  tunnels: subnets('64:ff9b::/32', '2002::/16', '2001::/32'),
  notSingleHost: subnets('ff00::/8'),
  // link-local and the deprecated site-local range
  linkLocal: subnets('fe80::/9'),
  ec2Metadata: subnets('fd00:ec2::/32'),
};

/** ISATAP: the lower half of the address is 0:5efe or 200:5efe and an IPv4 address, below any prefix. */
const isIsatap = (parts: number[]): boolean => (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe;

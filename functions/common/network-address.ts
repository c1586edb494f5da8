import ipaddr from 'ipaddr.js';

/**
 * - `public`: a host of the Internet
 * - `private`: a host of a network that only its members reach
 * - `loopback`: the machine itself
 * - `reserved`: no host of the Internet has it: documentation, measurements, protocols
 * - `refused`: never a server: no single host, the link only, a cloud's metadata service, or an IPv6 address that stands for an IPv4 one
 */
export type AddressKind = 'public' | 'private' | 'loopback' | 'reserved' | 'refused';

/**
 * What kind of address it is, which decides whether the service may open a connection to it.
 * @param canonical an address as `canonicalAddress` writes it
 */
export function addressKind(canonical: string): AddressKind {
  const address = ipaddr.parse(canonical);
  const range = address.range();
  // The ranges of IPv4-compatible addresses include it.
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
  notOneHost: subnets('0.0.0.0/8', '224.0.0.0/4', '240.0.0.0/4'),
  // The metadata services of clouds are among them.
  linkLocal: subnets('169.254.0.0/16'),
};

/** An IPv6 address that holds an IPv4 one is refused whatever that is: a client that means it can write it as IPv4. */
const refusedIpv6 = {
  // IPv4-compatible, with the unspecified address; IPv4-mapped; IPv4-translated
  ipv4: subnets('::/96', '::ffff:0:0/96', '::ffff:0:0:0/96'),
  // NAT64 with the well-known prefix and with those for local use; 6to4; Teredo
  tunnels: subnets('64:ff9b::/32', '2002::/16', '2001::/32'),
  notOneHost: subnets('ff00::/8'),
  // link-local and the site-local of former days
  linkLocal: subnets('fe80::/9'),
  ec2Metadata: subnets('fd00:ec2::/32'),
};

/** ISATAP: the lower half of the address is 0:5efe or 200:5efe and an IPv4 address, below any prefix. */
const isIsatap = (parts: number[]): boolean => (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe;

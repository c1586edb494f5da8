import { canonicalAddress } from './canonical-address.ts';
import { addressKind } from './network-address.ts';

/** The schemes of the URLs of users, by what they are for. Only a source may be on a server without TLS. */
export const targetSchemes = {
  webhook: ['https:'],
  ingest: ['http:', 'https:'],
  storage: ['https:'],
} as const satisfies Record<string, TargetRules['schemes']>;

/** What a user may have the service connect to. */
export type TargetRules = {
  /** the schemes besides loopback http */
  schemes: readonly ('http:' | 'https:')[];
  /** http and https to this machine: for a service that runs on one machine */
  allowLoopback: boolean;
};

/** The sentence for the user who gave the address, with its code. */
export type TargetProblem = {
  code: 'scheme' | 'url_credentials' | 'not_public' | 'loopback' | 'no_ipv6' | 'node_address';
  message: string;
};

export const notPublic = 'The host of the URL must have public addresses only.';
const loopback: TargetProblem = {
  code: 'loopback',
  message: `${notPublic} For tests on one machine, ALLOW_LOOPBACK_TARGETS=on npm start allows its own.`,
};

/**
 * Why the service does not connect to a URL of a user; undefined when it may, if `addressProblem` accepts every address
 * of the host. The parser of URLs has normalised the host: `2130706433`, `0x7f.1` and `0177.0.0.1` are 127.0.0.1 here.
 */
export function targetProblem(url: URL, { schemes, allowLoopback }: TargetRules): TargetProblem | undefined {
  if (!allowLoopback && /^https?:$/.test(url.protocol) && isLoopbackHost(url)) return loopback;
  const isAllowed = schemes.some((scheme) => scheme === url.protocol);
  if (!isAllowed && !(allowLoopback && url.protocol === 'http:' && isLoopbackHost(url))) {
    const names = schemes.map((scheme) => `${scheme}//`).join(' or ');
    return { code: 'scheme', message: `The URL must begin with ${names}.` };
  }
  if (url.username !== '' || url.password !== '') {
    return { code: 'url_credentials', message: 'The URL must not have a user name or password.' };
  }
  const address = addressOfHost(url);
  return address === undefined ? undefined : addressProblem(address, { allowLoopback });
}

/**
 * Why the service does not connect to an address; undefined when it may. Every address to which a name resolves has to
 * pass, and the connection has to use one of these addresses: a second look-up could give another one.
 */
export function addressProblem(
  address: string,
  { allowLoopback }: Pick<TargetRules, 'allowLoopback'>,
): TargetProblem | undefined {
  const canonical = canonicalAddress(address);
  const kind = canonical === undefined ? 'refused' : addressKind(canonical);
  if (kind === 'public' || (kind === 'loopback' && allowLoopback)) return undefined;
  return { code: 'not_public', message: notPublic };
}

/**
 * Why the service does not connect to a registered server; undefined when it may. Administrators register them, so
 * private networks are allowed, and this machine and IPv6 where a setting says so.
 */
export function nodeAddressProblem(
  address: string,
  { allowLoopback, allowIpv6 }: { allowLoopback: boolean; allowIpv6: boolean },
): TargetProblem | undefined {
  const canonical = canonicalAddress(address);
  if (canonical?.includes(':') && !allowIpv6) {
    const message = 'The service has no outgoing IPv6 connections. Give the IPv4 address of the server.';
    return { code: 'no_ipv6', message };
  }
  const kind = canonical === undefined ? 'refused' : addressKind(canonical);
  const isServer = kind === 'loopback' ? allowLoopback : kind !== 'refused';
  return isServer
    ? undefined
    : { code: 'node_address', message: 'The ip address field must be the address of a server.' };
}

/** The address in a URL; undefined when it has a name. */
export function addressOfHost({ hostname }: URL): string | undefined {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return canonicalAddress(hostname);
}

function isLoopbackHost(url: URL): boolean {
  const address = addressOfHost(url);
  if (address === undefined) return isLocalName(url.hostname);
  const canonical = canonicalAddress(address);
  return canonical !== undefined && addressKind(canonical) === 'loopback';
}

const isLocalName = (hostname: string): boolean => /(^|\.)localhost\.?$/.test(hostname);

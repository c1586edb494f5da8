/**
 * The canonical form of an IP address literal: IPv4 unchanged, IPv6 compressed and in lower case; undefined for
 * anything else. Only the standard notation is accepted: a resolver also reads `2130706433`, `0x7f.1` and `0177.0.0.1`
 * as 127.0.0.1, which would bypass a list of refused addresses.
 */
export function canonicalAddress(text: string): string | undefined {
  if (isIpv4(text)) return text;
  if (!/^[0-9A-Fa-f:.]{2,45}$/.test(text) || !text.includes(':')) return undefined;
  const url = URL.parse(`http://[${text}]`);
  return url === null ? undefined : url.hostname.slice(1, -1);
}

/** Four decimal numbers without leading zeros, which some programs read as octal. */
const isIpv4 = (text: string): boolean =>
  /^(0|[1-9][0-9]{0,2})(\.(0|[1-9][0-9]{0,2})){3}$/.test(text) && text.split('.').every((part) => Number(part) <= 255);

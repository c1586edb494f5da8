import type { HostKey } from '../../table/nodes/pinned-host-key.ts';

/**
 * What the SSH code needs to know about a server: its address, its credentials and what it runs. The private key is
 * only in memory.
 */
export type NodeTarget = {
  ulid: string;
  type: 'worker' | 'proxy';
  /** an IPv4 or IPv6 literal */
  address: string;
  port: number;
  user: string;
  /** the public host name of a proxy */
  hostname: string | null;
  /** worker containers to run, 1 on a proxy */
  workers: number;
  cdnMode: boolean;
  /** in PEM or OpenSSH format, without a passphrase */
  privateKey: string;
  /** the pinned key; null before the first connection */
  hostKey: HostKey | null;
  /** Pins the key if none is pinned. Resolves with the pinned key, which can be that of a concurrent connection. */
  pinHostKey: (presented: HostKey) => Promise<HostKey>;
};

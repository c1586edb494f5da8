import type { HostKey } from '../../table/nodes/pinned-host-key.ts';

/** A server as the SSH side sees it: where it is, how to get in, what it is to run. The private key lives in memory only. */
export type NodeTarget = {
  ulid: string;
  type: 'worker' | 'proxy';
  /** an IPv4 or IPv6 literal */
  address: string;
  port: number;
  user: string;
  /** the public name of a proxy */
  hostname: string | null;
  /** worker containers to run, 1 on a proxy */
  workers: number;
  cdnMode: boolean;
  /** PEM or OpenSSH text, without a passphrase */
  privateKey: string;
  /** the pinned key; null until a connection has pinned one */
  hostKey: HostKey | null;
  /** Pins the key of a server that has none. Resolves with the pinned key, which is another one when another connection was first. */
  pinHostKey: (shown: HostKey) => Promise<HostKey>;
};

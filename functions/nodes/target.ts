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
  /** pinned at the first check; null takes whatever the server shows and tells it */
  hostKey: HostKey | null;
};

/** `type` as in `ssh-ed25519`; `sha256` is the fingerprint as OpenSSH shows it, `SHA256:…`. */
export type HostKey = { type: string; sha256: string };

export const stepNames = [
  'check',
  'packages',
  'docker',
  'image',
  'configure',
  'certificate',
  'start',
  'verify',
  'drain',
  'remove',
] as const;
export type StepName = (typeof stepNames)[number];

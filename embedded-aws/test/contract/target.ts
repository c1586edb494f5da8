import { randomBytes } from 'node:crypto';
import { credentials } from '../../src/testing/serve-control.ts';

/**
 * What the tests of this folder send their requests to: `embedded` opens the embedded services, `aws` is an account,
 * with the credentials of the environment; any other target is the server of a reference at `TARGET_ENDPOINT`.
 */
const target = process.env.TARGET ?? 'embedded';
const endpoint = process.env.TARGET_ENDPOINT;
if (!['embedded', 'aws'].includes(target) && endpoint === undefined) {
  throw new Error(`TARGET_ENDPOINT must have the address of ${target}: npm run references starts it`);
}

export const isEmbedded = target === 'embedded';

/** The configuration of SDK clients for a target that is not embedded. */
export const clientConfig =
  target === 'aws'
    ? { region: process.env.AWS_REGION ?? 'eu-west-1' }
    : { region: 'eu-west-1', endpoint: endpoint ?? '', credentials, maxAttempts: 1 };

/** A name that no other run uses. It starts with `TARGET_PREFIX`, so that what a killed run has left is found. */
export const uniqueName = (name: string): string =>
  `${process.env.TARGET_PREFIX ?? 'contract'}-${name}-${randomBytes(4).toString('hex')}`;

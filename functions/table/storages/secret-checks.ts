import * as z from 'zod';
import { now, timestamp } from '../../../shared/clock.ts';
import { due } from '../items/due-keys.ts';
import { duePages } from '../items/due-pages.ts';
import { getItems, type Write, write } from '../items/items.ts';
import { keys } from '../items/keys.ts';

/** Much longer than a call of the API runs: no call stores a secret after its check. */
const checkMilliseconds = 10 * 60_000;

const secretCheck = z.object({ ulid: z.string(), ownerUlid: z.string(), version: z.int() });
/** A version of a secret that may be stored, although the record of its storage does not name it, or is deleted. */
export type SecretCheck = z.infer<typeof secretCheck>;

/**
 * Has reconcile look later whether a version of a secret is that of its storage, and delete it otherwise. Written
 * before the version is stored, and with each change after which it is to be deleted: a call that dies leaves none.
 */
export const secretCheckWrite = ({ ulid, ownerUlid, version }: SecretCheck): Write => ({
  put: {
    ...keys.secretCheck(ulid, version),
    ...due('secret', ulid, timestamp(now() + checkMilliseconds)),
    kind: 'secret-check',
    ulid,
    ownerUlid,
    version,
  },
});

export const announceSecret = (secret: SecretCheck): Promise<unknown> => write(secretCheckWrite(secret));

/** The versions whose check is due, those that wait longest first, page by page. */
export async function* dueSecretChecks(): AsyncGenerator<SecretCheck[]> {
  for await (const page of duePages(['secret'])) yield (await getItems(page)).map((item) => secretCheck.parse(item));
}

export const endSecretCheck = ({ ulid, version }: SecretCheck): Promise<unknown> =>
  write({ delete: keys.secretCheck(ulid, version) });

import * as z from 'zod';
import { forEachSettled } from '../common/concurrency.ts';
import { log } from '../common/log.ts';
import { listIngestingUsers } from '../table/ingests/ingest-slots.ts';
import { findAnyIngest } from '../table/ingests/ingest-table.ts';
import { continueUser } from './continue-user.ts';

const input = z.looseObject({ ulid: z.string().optional(), userUlid: z.string().optional() });

/**
 * Continues the ingests of a user: called when one was created, when its job has ended, and when it was deleted. Every
 * minute, without a user: those of all users, for calls that were lost.
 */
export async function handler(raw: unknown): Promise<void> {
  const { ulid, userUlid: given } = input.parse(raw);
  if (given !== undefined) return continueUser(given);
  if (ulid === undefined) {
    await forEachSettled(await listIngestingUsers(), (userUlid) => continueUser(userUlid));
    return;
  }
  const ingest = await findAnyIngest(ulid);
  if (ingest) await continueUser(ingest.ownerUlid, ulid);
  else log.info('the ingest does not exist any more', { ingest: ulid });
}

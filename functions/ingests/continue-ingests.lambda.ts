import * as z from 'zod';
import { log } from '../common/log.ts';
import { findAnyIngest } from '../table/ingests/ingest-table.ts';
import { continueUser } from './continue-user.ts';

const input = z.union([z.object({ ulid: z.string() }), z.object({ userUlid: z.string() })]);

/**
 * Continues the ingests of a user: called when one was created, when its job has ended, when it was deleted, and every
 * minute while the user has any.
 */
export async function handler(raw: unknown): Promise<void> {
  const of = input.parse(raw);
  if ('userUlid' in of) return continueUser(of.userUlid);
  const ingest = await findAnyIngest(of.ulid);
  if (ingest) await continueUser(ingest.ownerUlid, of.ulid);
  else log.info('the ingest does not exist any more', { ingest: of.ulid });
}

import { startIngests } from '../aws/background-functions.ts';
import { forgetIngest } from '../table/ingests/ingest-table.ts';
import type { Ingest } from '../table/records.ts';
import { findUpload } from '../table/uploads/upload-table.ts';
import { abortUpload } from '../uploads/upload-lifecycle.ts';

/**
 * Cancels an ingest, or removes one that has ended from the list. The worker learns of it with its next call.
 * @throws Conflict while the stored parts are joined
 */
export async function removeIngest(ingest: Ingest): Promise<void> {
  const { ulid, ownerUlid } = ingest;
  const upload = await findUpload(ownerUlid, ulid);
  if (!(await forgetIngest(ingest)) && upload) await abortUpload(upload);
  await startIngests({ userUlid: ownerUlid });
}

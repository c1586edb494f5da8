import { abortMultipart } from '../aws/upload-store.ts';
import { Conflict } from '../common/errors.ts';
import type { Upload } from '../table/records.ts';
import { closeUpload, findUpload } from '../table/videos/upload-table.ts';

/**
 * Gives an upload up and drops its parts. Done twice it is done once, and what a call that died has left is dropped by the next.
 * @throws Conflict when it is being completed, or is complete
 */
export async function abortUpload(upload: Upload): Promise<void> {
  if (!(await isAborted(upload))) throw new Conflict('The upload is complete.');
  if (upload.store === 'multipart') await abortMultipart(upload);
}

/** Also when another call aborted it at the same moment. */
const isAborted = async (upload: Upload): Promise<boolean> =>
  upload.status === 'aborted' ||
  (await closeUpload(upload, 'aborted')) ||
  (await findUpload(upload.ownerUlid, upload.ulid))?.status === 'aborted';

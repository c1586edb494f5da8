import type { ImageType } from '../../shared/media/image-header.ts';
import { posterUploadKey } from '../../shared/object-keys.ts';
import { maxImageBytes, posterSides } from '../../shared/protocol/jobs.ts';
import { createObject, objectBytes, readObject } from '../aws/object-store.ts';
import { checkedHeader } from '../common/checked-image.ts';
import { ValidationFailed } from '../common/errors.ts';
import { newUlid } from '../common/ids.ts';
import { sha256 } from '../common/secret.ts';
import type { StreamEdit } from '../table/records.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';
import { completedOriginal, posterEdit } from './set-poster.ts';

type PosterUpload = NonNullable<StreamEdit['posterUpload']>;

/**
 * Stores an image for the worker that makes the poster of it. Only its header is read here.
 * @throws ValidationFailed for a file that is no image of this type, or of another size
 */
export async function storePosterImage(whole: WholeVideo, type: ImageType, bytes: Buffer): Promise<PosterUpload> {
  const { width, height, orientation } = checkedHeader(bytes, { field: 'image', type, sides: posterSides });
  completedOriginal(whole);
  const hash = sha256(bytes);
  const making = posterEdit(whole)?.posterUpload;
  if (making?.sha256 === hash) return making;
  const upload = { ulid: newUlid(), sha256: hash, type, width, height, orientation };
  await createObject(posterUploadKey(whole.video.ulid, upload.ulid), bytes, 'application/octet-stream');
  return upload;
}

/**
 * The image that a client has sent to the store.
 * @throws ValidationFailed for a file that is missing, too large or no image
 */
export async function sentPosterImage({ video }: WholeVideo, ulid: string): Promise<PosterUpload> {
  const key = posterUploadKey(video.ulid, ulid);
  const size = await objectBytes(key);
  if (size === undefined)
    throw new ValidationFailed({ upload: ['The image was not sent to its URL, or has expired.'] });
  const bytes = size > maxImageBytes ? undefined : Buffer.from(await readObject(key));
  const { type, width, height, orientation } = checkedHeader(bytes, { field: 'upload', sides: posterSides });
  return { ulid, sha256: sha256(bytes!), type, width, height, orientation };
}

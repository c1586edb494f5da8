import type * as z from 'zod';
import { imageKey } from '../../shared/object-keys.ts';
import { presignedGet } from '../aws/object-store.ts';
import type { imageRoutes } from '../contracts/routes/image-routes.ts';
import type { ImageRecord } from '../table/records.ts';

type Shown = z.input<typeof imageRoutes.create.response>['data'];

/** Signs the URL of the image. */
export async function serializeImage(image: ImageRecord): Promise<Shown> {
  const { ulid, name, bytes, orientation, createdAt } = image;
  const isTurned = orientation > 4;
  return {
    ulid,
    name,
    width: isTurned ? image.height : image.width,
    height: isTurned ? image.width : image.height,
    size: bytes,
    url: await presignedGet(imageKey(ulid), 'public'),
    created_at: createdAt,
  };
}

import * as z from 'zod';
import { imageTypes } from '../../../shared/media/image-header.ts';
import { watermarkSides } from '../../../shared/protocol/jobs.ts';
import { name, shownText, timestamp, ulid, url } from '../fields/fields.ts';
import type { RouteDeclaration } from '../route-declaration.ts';

const image = z
  .object({
    ulid,
    name: shownText(255),
    width: z.int().meta({ description: 'In pixels, as the image is shown.' }),
    height: z.int(),
    size: z.int().meta({ description: 'Bytes.' }),
    url: url.meta({ description: 'The uploaded file, for an hour.' }),
    created_at: timestamp,
  })
  .meta({ id: 'Image' });

export const imageRoutes = {
  list: {
    operationId: 'listImages',
    method: 'GET',
    path: '/api/images',
    tag: 'Templates',
    // Each response has new URLs.
    cacheControl: 'no-store',
    summary: "The caller's images",
    description: 'Newest first, at most 100.',
    access: 'user',
    ability: 'templates:write',
    status: 200,
    response: z.object({ data: z.array(image) }),
  },
  create: {
    operationId: 'createImage',
    repeats: 'continued',
    method: 'POST',
    path: '/api/images',
    tag: 'Templates',
    summary: 'Upload an image for watermarks',
    description: `The body is the file: JPEG, PNG or WebP, at most 4 MiB, ${watermarkSides.min} to ${watermarkSides.max} pixels a side. Templates name it in watermark.image. Transparent pixels stay transparent; of an animation the first frame is used. A user has at most 100 images, and as many that were deleted within 14 days.`,
    access: 'user',
    ability: 'templates:write',
    query: z.object({ name: name.default('Image').meta({ description: 'Default Image.' }) }),
    fileTypes: imageTypes.map((type) => `image/${type}`),
    bodyLimitBytes: 4 * 2 ** 20,
    status: 201,
    response: z.object({ data: image }),
  },
  remove: {
    operationId: 'deleteImage',
    method: 'DELETE',
    path: '/api/images/{ulid}',
    tag: 'Templates',
    summary: 'Delete an image',
    description:
      '409 while a template uses it. Videos that were made with it stay as they are, and a video in processing still gets it.',
    access: 'user',
    ability: 'templates:write',
    status: 204,
    errors: ['image_in_use', 'not_found'],
  },
} as const satisfies Record<string, RouteDeclaration>;

import { type Api, bodyOf, type Fetch } from '../api.ts';
import type { components } from '../api-types.ts';
import { putPart } from './put-part.ts';

/** What the service takes as the body of a request; a larger image is sent to the store. */
export const maxBodyBytes = 4 * 2 ** 20;

/**
 * Makes an image the poster of a completed video: JPEG, PNG or WebP of at most 5 MiB. A worker makes the poster some
 * seconds later.
 * @throws ApiError, UnreadableFileError, the reason of the signal
 */
export async function setPosterImage(
  { api, fetch }: { api: Api; fetch: Fetch },
  ulid: string,
  image: Blob,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<components['schemas']['Video']> {
  const params = { path: { ulid } };
  const options = signal ? { params, signal } : { params };
  const path = '/api/videos/{ulid}/poster';
  if (image.size <= maxBodyBytes) return (await bodyOf(api.PUT(path, { ...options, ...(await asBody(image)) }))).data;
  let upload = '';
  const sign = async (): Promise<string> => {
    const { data } = await bodyOf(
      api.POST('/api/videos/{ulid}/poster/uploads', { ...options, body: { size: image.size } }),
    );
    upload = data.ulid;
    return data.url;
  };
  await putPart(fetch, { body: image, onSent: () => undefined, sign, signal });
  return (await bodyOf(api.PUT(path, { ...options, body: { upload } }))).data;
}

/**
 * Stores an image for watermarks: JPEG, PNG or WebP of at most 4 MiB.
 * @throws ApiError, the reason of the signal
 */
export async function uploadImage(
  api: Api,
  image: Blob,
  { name, signal }: { name?: string | undefined; signal?: AbortSignal | undefined } = {},
): Promise<components['schemas']['Image']> {
  const params = { query: name === undefined ? {} : { name } };
  const call = { params, ...(await asBody(image)), ...(signal && { signal }) };
  return (await bodyOf(api.POST('/api/images', call))).data;
}

/** A file as the body of a request, which the client would write as JSON. */
const asBody = async (image: Blob) => ({
  body: image as never,
  bodySerializer: (body: unknown) => body as never,
  headers: { 'content-type': await mediaType(image) },
});

/** By the first byte, since the type of a `File` follows from its name. The service says what it is instead. */
async function mediaType(image: Blob): Promise<string> {
  const [first] = new Uint8Array(await image.slice(0, 1).arrayBuffer());
  return first === 0xff ? 'image/jpeg' : first === 0x89 ? 'image/png' : 'image/webp';
}

import { type ApiOptions, createApi } from './api.ts';
import { setPosterImage, uploadImage } from './upload/images.ts';
import { abortUpload, type UploadOptions, uploadFile } from './upload/upload-file.ts';
import { createWaitForVideo } from './wait-for-video.ts';

/**
 * A client of one service with the rights of one user, or of one upload token. It keeps no connection and need not be
 * closed.
 */
export function createClient(options: ApiOptions) {
  const { fetch = globalThis.fetch } = options;
  const api = createApi(options);
  return {
    /** Every operation, typed; see `createApi`. */
    api,
    /** Uploads a file; see `uploadFile`. */
    upload: (file: Blob, upload: UploadOptions) =>
      uploadFile({ api, fetch, uploadToken: options.uploadToken }, file, upload),
    /** Discards an upload that was not completed. */
    abortUpload: (uploadId: string): Promise<void> => abortUpload(api, uploadId),
    /** Makes an image the poster of a video; see `setPosterImage`. */
    setPosterImage: (ulid: string, image: Blob, call?: { signal?: AbortSignal | undefined }) =>
      setPosterImage({ api, fetch }, ulid, image, call),
    /** Stores an image for watermarks; see `uploadImage`. */
    uploadImage: (image: Blob, call?: { name?: string | undefined; signal?: AbortSignal | undefined }) =>
      uploadImage(api, image, call),
    /** Polls a video until it is completed or failed. Also waits for a video whose upload was just completed. */
    waitForVideo: createWaitForVideo(api),
  };
}

export type Client = ReturnType<typeof createClient>;

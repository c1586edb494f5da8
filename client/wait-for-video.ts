import { type Api, bodyOf } from './api.ts';
import { ApiError } from './api-error.ts';
import type { components } from './api-types.ts';
import { sleep } from './sleep.ts';

export type Video = components['schemas']['Video'];

export type WaitOptions = {
  /** Called with every state that is read. */
  onChange?: (video: Video) => void;
  signal?: AbortSignal;
};

/** Divided among the videos that a client waits for: a user may make 300 requests per minute. */
const pollMs = 500;
/** The event of the store creates the video, so GET answers 404 until then. */
const maxAbsenceMs = 60_000;

/** A function that polls a video until it is completed or failed. */
export function createWaitForVideo(api: Api) {
  let waiting = 0;
  return async (ulid: string, { onChange, signal }: WaitOptions = {}): Promise<Video> => {
    const absenceEndsMs = Date.now() + maxAbsenceMs;
    waiting += 1;
    try {
      for (;;) {
        const video = await findVideo(api, ulid, signal, Date.now() < absenceEndsMs);
        if (video) onChange?.(video);
        if (video && (video.status === 'completed' || video.status === 'failed')) return video;
        await sleep(pollMs * waiting, signal);
      }
    } finally {
      waiting -= 1;
    }
  };
}

async function findVideo(
  api: Api,
  ulid: string,
  signal: AbortSignal | undefined,
  mayBeAbsent: boolean,
): Promise<Video | undefined> {
  try {
    const call = api.GET('/api/videos/{ulid}', { params: { path: { ulid } }, ...(signal && { signal }) });
    return (await bodyOf(call)).data;
  } catch (error) {
    if (mayBeAbsent && error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

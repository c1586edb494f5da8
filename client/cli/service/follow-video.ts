import { type Api, bodyOf } from '../../api.ts';
import { ApiError } from '../../api-error.ts';
import type { components } from '../../api-types.ts';
import type { Client } from '../../create-client.ts';
import { type FailedOutput, failedOutputs, reasonOf } from '../../failure-reasons.ts';
import { shareOfVideo } from '../../progress.ts';
import type { Video } from '../../wait-for-video.ts';

/** Listed from the moment on that it plays; `running` while it is encoded. */
export type PlayableSource = components['schemas']['Source'];
export type PlayableSources = { sources: PlayableSource[]; poster_url: string | null };

export type FollowOptions = {
  signal: AbortSignal;
  onProgress: (progress: { share: number; status: Video['status'] }) => void;
  /** Called once, when the video plays before it is completed. */
  onPlayable: (sources: PlayableSource[]) => void;
};

export type Followed =
  | ({ status: 'completed'; failedOutputs: FailedOutput[]; sourcesError?: string } & PlayableSources)
  | { status: 'failed'; reason: string };

/** Waits until a video is completed or failed. */
export async function followVideo(client: Client, ulid: string, options: FollowOptions): Promise<Followed> {
  let announcing: Promise<void> | undefined;
  let isAnnounced = false;
  const announce = async (): Promise<void> => {
    const { sources } = await readSources(client.api, ulid, options.signal);
    if (!sources.some(({ status }) => status === 'running')) return;
    isAnnounced = true;
    options.onPlayable(sources);
  };
  const video = await client.waitForVideo(ulid, {
    signal: options.signal,
    onChange: (video) => {
      options.onProgress({ share: shareOfVideo(video), status: video.status });
      if (isAnnounced || video.playable_at === null || video.status === 'completed') return;
      announcing ??= announce()
        // The next look at the video tries again.
        .catch(() => {})
        .finally(() => {
          announcing = undefined;
        });
    },
  });
  await announcing;
  if (video.status === 'failed') return { status: 'failed', reason: reasonOf(video) };
  const completed = { status: 'completed', failedOutputs: failedOutputs(video) } as const;
  try {
    return { ...completed, ...(await readSources(client.api, ulid, options.signal)) };
  } catch (error) {
    // The video is complete; its addresses are not available, for example without an active proxy node.
    if (!(error instanceof ApiError)) throw error;
    return { ...completed, sources: [], poster_url: null, sourcesError: error.message };
  }
}

export async function readSources(
  api: Api,
  ulid: string,
  signal?: AbortSignal,
  expiresInSeconds?: number,
): Promise<PlayableSources> {
  const call = api.GET('/api/videos/{ulid}/sources', {
    params: { path: { ulid }, ...(expiresInSeconds !== undefined && { query: { expires_in: expiresInSeconds } }) },
    ...(signal && { signal }),
  });
  const { sources, poster_url } = await bodyOf(call);
  return { sources, poster_url };
}

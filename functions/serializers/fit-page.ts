import type * as z from 'zod';
import { ValidationFailed } from '../common/errors.ts';
import type { videoListItem } from '../contracts/routes/video-routes.ts';

type Listed = z.input<typeof videoListItem>;

/** Limit of the JSON about a source's tracks in a list. 100 videos of this size are 0.8 MB. */
const maxTracksBytes = 8 * 1024;

/** The limit of a Lambda response is 6 MB, including headers and with the body as an escaped JSON string. */
const maxPageBytes = 5_500_000;

/**
 * A page of videos that fits into one response. Long lists of source tracks are omitted: the endpoint of the single
 * video has them.
 * @throws ValidationFailed when the page is still too large
 */
export function fitPage(videos: Listed[]): Listed[] {
  const fitted = videos.map((video) => ({ ...video, streams: video.streams.map(withShortMeta) }));
  if (Buffer.byteLength(JSON.stringify(JSON.stringify(fitted))) <= maxPageBytes) return fitted;
  throw new ValidationFailed({
    per_page: [`The ${videos.length} videos of this page have too many streams for one response. Request fewer.`],
  });
}

function withShortMeta(stream: Listed['streams'][number]): Listed['streams'][number] {
  const { streams, ...rest } = stream.meta;
  if (streams === undefined || Buffer.byteLength(JSON.stringify(streams)) <= maxTracksBytes) return stream;
  return { ...stream, meta: rest };
}

import type * as z from 'zod';
import { ValidationFailed } from '../common/errors.ts';
import type { videoListItem } from '../contracts/routes/video-routes.ts';

type Listed = z.input<typeof videoListItem>;

/** Of the facts about a source's tracks, as JSON, in a list. A hundred videos with as much each are half a megabyte. */
const trackFactsBytes = 8 * 1024;

/** Lambda answers with 6 MB at most. What counts is the answer as it is wrapped for the gateway: a text in JSON, with headers beside it. */
const pageBytes = 5_500_000;

/**
 * A page of videos as one answer can have it. Long facts about a source's tracks are left to the single video.
 * @throws ValidationFailed when the page is too large all the same
 */
export function fitPage(videos: Listed[]): Listed[] {
  const fitted = videos.map((video) => ({ ...video, streams: video.streams.map(withShortFacts) }));
  if (Buffer.byteLength(JSON.stringify(JSON.stringify(fitted))) <= pageBytes) return fitted;
  throw new ValidationFailed({
    per_page: [`The ${videos.length} videos of this page have too many streams for one answer. Ask for fewer.`],
  });
}

function withShortFacts(stream: Listed['streams'][number]): Listed['streams'][number] {
  const { streams, ...facts } = stream.meta;
  if (streams === undefined || Buffer.byteLength(JSON.stringify(streams)) <= trackFactsBytes) return stream;
  return { ...stream, meta: facts };
}

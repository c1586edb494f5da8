import { readEnvironment } from '../../shared/environment.ts';
import { ValidationFailed } from '../common/errors.ts';
import { countPublicVideos } from '../table/videos/playback-changes.ts';

/**
 * The edge reads public videos from a CloudFront KeyValueStore, which holds 5 MB. An entry takes about 34 bytes, and
 * the store also has the videos that were deleted in the last seven days: this many public videos leave room for 36,000
 * of them. Proxies have no limit.
 */
const maxPublicVideos = 100_000;

/** @throws ValidationFailed when the edge can hold no more public videos */
export async function refuseFurtherPublic(): Promise<void> {
  if (readEnvironment('EDGE_URL') === undefined || (await countPublicVideos()) < maxPublicVideos) return;
  const message = `A stage with the edge can have ${maxPublicVideos} public videos. Set another video to signed first.`;
  throw new ValidationFailed({ playback: [message] });
}

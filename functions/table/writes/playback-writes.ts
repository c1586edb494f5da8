import { timestamp } from '../../../shared/clock.ts';
import { newUlid } from '../../common/ids.ts';
import type { Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';

/** Has every way of delivery do what the video's record says: it is signed, public or deleted. */
export const playbackChange = (videoUlid: string): Write => ({
  put: {
    ...keys.playbackChange(videoUlid),
    kind: 'playback-change',
    id: newUlid(),
    changedAt: timestamp(),
    claimedUntilMilliseconds: 0,
  },
});

export const publicCount = (added: 1 | -1): Write => ({
  update: keys.publicVideos(),
  set: { kind: 'counts' },
  add: { videos: added },
});

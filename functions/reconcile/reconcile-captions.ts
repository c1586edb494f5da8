import { publishCaptions } from '../captions/publish-captions.ts';
import { type DrainLimits, drain } from '../common/drain.ts';
import { dueCaptions, postponeCaptions } from '../table/videos/caption-table.ts';

/** Repairs manifests that do not list the last change of their video's captions: the call that stored it has died. */
export const reconcileCaptions = (limits: DrainLimits): Promise<number> =>
  drain(
    dueCaptions(),
    async (videoUlid) => {
      try {
        await publishCaptions(videoUlid);
      } finally {
        await postponeCaptions(videoUlid);
      }
    },
    limits,
  );

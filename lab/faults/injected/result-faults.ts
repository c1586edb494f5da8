import { videoJobKinds } from '../../../shared/protocol/job-kinds.ts';
import { refuseResults } from '../store/refused-result.ts';
import type { Decide } from '../store/store-proxy.ts';
import type { Fault, FaultContext, VideoOptions } from './fault.ts';
import { MomentMissed } from './moment-missed.ts';

/** Not `text` and `quality`: the videos of the fault tests have no text tracks, and their quality is not measured. */
const kinds = videoJobKinds.filter((kind) => kind !== 'text' && kind !== 'quality');
type JobKind = (typeof kinds)[number];
type Disturb = (context: FaultContext, decide: Decide) => () => void;

/** A video has at most two jobs of a kind, each of which fails with its third refusal. A kill may lose one count. */
const mostRefusals = 12;

const refused = /^RESULT_REFUSED: /;
/** The final status of a video if all results of a kind are refused. */
const endings: Record<JobKind, VideoOptions> = {
  probe: { ends: { failed: refused } },
  'encode-video': { ends: { failed: refused } },
  'encode-audio': { ends: { failed: refused } },
  package: { mayLack: /mp4/ },
  thumbnails: { mayLack: /^thumbnails\// },
};

/** Results that the table refuses once, or always: the video ends, and other videos are completed. */
export const resultFaults = (disturb: Disturb): Fault[] =>
  kinds.flatMap((kind) => [
    { name: `the table refuses one result of ${kind}`, inject: refuse(disturb, kind, 1, {}) },
    {
      name: `the table refuses every result of ${kind}`,
      inject: refuse(disturb, kind, Number.POSITIVE_INFINITY, endings[kind]),
    },
  ]);

const refuse =
  (disturb: Disturb, kind: JobKind, most: number, options: VideoOptions) =>
  async (context: FaultContext): Promise<void> => {
    const { startVideo, untilDone, note } = context;
    const victim = await startVideo(options);
    let refusals = 0;
    const stop = disturb(
      context,
      refuseResults({ videoUlid: victim.ulid, kind, most }, () => {
        refusals++;
      }),
    );
    try {
      const other = await startVideo();
      await Promise.all([untilDone(victim), untilDone(other)]);
    } finally {
      stop();
    }
    note(`${refusals} refused, ${victim.ulid}`);
    if (refusals === 0) throw new MomentMissed('the result was stored before it could be refused');
    if (refusals > mostRefusals) throw new Error(`${refusals} results were sent and refused`);
  };

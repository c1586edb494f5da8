import { keepsAhead } from '../../functions/early-playback/pacing.ts';
import { planVideo } from '../../functions/planning/plan-video.ts';
import { sizeInPlan } from '../../functions/queue/size-job.ts';
import { templateQuerySchema } from '../../functions/templates/template-query.ts';
import type { JobKind } from '../../shared/protocol/jobs.ts';
import { audioTrack, evenIndex, probeOf, videoTrack } from '../../test/functions/planning/source-fixture.ts';
import { createRandom } from './events.ts';
import { endlessUploads, type Upload } from './workload.ts';

/** What workers of a kind do: cores, and the part of them that an encode uses. */
type Machine = { cores: number; share: number };
/** The size of a task by default, 4 vCPU. An encode of several rungs used 1.91 to 1.95 of two cores. */
const task: Machine = { cores: 4, share: 0.95 };
/** 10 GB of memory. The encoder of one small rung does not keep six cores busy. */
const lambda: Machine = { cores: 6, share: 0.75 };

/**
 * The automatic ladder of 1080p took 290 CPU seconds for a minute on two cores, two of them for the start of two jobs;
 * the estimate is 138.
 */
const contentFactor = 2.11;
const startCpuSeconds = 1;
/** Audio is encoded this much faster than it plays, on one core. */
const audioSpeed = 130;
/** CPU seconds of poster and sprites for a second of video; key frames are decoded on two cores. */
const thumbnailSeconds = 0.015 / 2;
/** before the first read of the source, and for the last upload */
const transferSeconds = 0.5;
const sourceFps = 30;

type Wanted = {
  name: string;
  owner?: string;
  atSeconds?: number;
  lengthSeconds: number;
  /** the workers that the planner expects */
  workers: number;
  /** without a starter, as for outputs that do not play before they are complete */
  withoutStarter?: boolean;
  /** only the early worker is running when the video is planned */
  isColdStart?: boolean;
  seed?: number;
};

/** A 1080p video with the automatic ladder, with the jobs of its plan. Contents differ by a third either way. */
export function plannedUpload(wanted: Wanted): Upload {
  const {
    name,
    owner = 'ada',
    atSeconds = 0,
    lengthSeconds,
    workers,
    withoutStarter = false,
    isColdStart = false,
    seed = 1,
  } = wanted;
  const random = createRandom(seed);
  const video = videoTrack({ frameCount: lengthSeconds * sourceFps });
  const probe = probeOf({ video, audio: [audioTrack({ durationSeconds: lengthSeconds })], sizeBytes: 1e10 });
  const query = templateQuerySchema.parse({
    ladder: { codec: 'h264' },
    audio: [{ name: 'stereo', codec: 'aac' }],
    outputs: [{ format: withoutStarter ? 'dash' : 'hls' }],
  });
  const expected = { capacity: task.cores * workers, workers, isColdStart };
  const plan = planVideo({ probe, frames: evenIndex(video), query, ...expected });
  const sizeOf = (kind: JobKind, group: number, index: number) => sizeInPlan({ kind, group, index }, plan);

  const chunks = plan.groups.flatMap(({ index: group, grid, rungs, chunks: planned }) =>
    planned.map(({ index, startFrame, endFrame }) => {
      const size = sizeOf('encode-video', group, index);
      const content = contentFactor * (size.estimateSeconds - startCpuSeconds) * (0.67 + 0.66 * random());
      const cpuSeconds = startCpuSeconds + content;
      const on = ({ cores, share }: Machine) => cpuSeconds / (cores * share) + transferSeconds;
      const segments = [Math.floor(startFrame / grid.segmentFrames), Math.ceil(endFrame / grid.segmentFrames)] as const;
      const hasStarter = rungs.some((rung) => rung.name === plan.starter?.rung);
      const stores = hasStarter ? { stores: { track: 'starter' as const, segments } } : {};
      return { ...size, seconds: on(task), lambdaSeconds: on(lambda), ...stores };
    }),
  );
  const audioSeconds = lengthSeconds / audioSpeed + transferSeconds;
  const segments = [0, Math.ceil(lengthSeconds / 6)] as const;
  const audio = {
    ...sizeOf('encode-audio', 0, 0),
    seconds: audioSeconds,
    lambdaSeconds: audioSeconds,
    stores: { track: 'audio' as const, segments },
  };
  const thumbnails = {
    ...sizeOf('thumbnails', 0, 0),
    seconds: thumbnailSeconds * lengthSeconds + 1,
    lambdaSeconds: Number.POSITIVE_INFINITY,
  };
  // The index of an MP4 is a few range reads.
  return { owner, atSeconds, name, probeSeconds: 1.5, chunks: [audio, thumbnails, ...chunks] };
}

/** A long video beside endless short ones, of other users or of its owner. */
export function besideEndless({ load, workers, owner }: { load: number; workers: number; owner?: string }) {
  const lengthSeconds = 30;
  const short = endlessUploads(
    (n, atSeconds) =>
      plannedUpload({
        name: `short ${n}`,
        owner: owner ?? `user-${n}`,
        atSeconds,
        lengthSeconds,
        workers,
        seed: n + 1,
      }),
    { count: 200 * workers, load, workers },
  );
  const long = plannedUpload({ name: 'long', atSeconds: 300, lengthSeconds: 1800, workers, seed: 77 });
  const uploads = [...short, long].toSorted((a, b) => a.atSeconds - b.atSeconds);
  return { short, long, uploads, lastUploadSeconds: short.at(-1)!.atSeconds };
}

/** Publishing a playlist, and a player that loads it with the first segment. */
const publishSeconds = 1;
const playerSeconds = 1.5;
const segmentSeconds = 6;

/** When each segment of a track was stored, and when the job of the first one started, in seconds from the upload. */
export type StoredTrack = { startedAt: number; segments: Map<number, number> };
export type StoredAt = Record<'starter' | 'audio', StoredTrack>;

/** What a viewer sees who starts as soon as the video plays: the first frame, and how long playback waits. */
export function watch({ starter, audio }: StoredAt): { firstFrameSeconds: number; stalledSeconds: number } {
  let [listed, clock, stalledSeconds, firstFrameSeconds] = [0, 0, 0, 0];
  for (let n = 0; n < starter.segments.size; n++) {
    const storedSeconds = Math.max(starter.segments.get(n)!, audio.segments.get(n)!);
    listed = Math.max(listed, storedSeconds + publishSeconds);
    if (firstFrameSeconds === 0) {
      if (!isPlayable(starter, n + 1, storedSeconds)) continue;
      firstFrameSeconds = listed + playerSeconds;
      // All segments up to this one are listed, and the first one plays.
      clock = firstFrameSeconds + n * segmentSeconds;
    } else if (listed > clock) {
      stalledSeconds += listed - clock;
      clock = listed;
    }
    clock += segmentSeconds;
  }
  return { firstFrameSeconds, stalledSeconds };
}

const isPlayable = ({ startedAt, segments }: StoredTrack, count: number, nowSeconds: number): boolean =>
  keepsAhead({
    frontierSeconds: count * segmentSeconds,
    elapsedSeconds: nowSeconds - startedAt,
    durationSeconds: segments.size * segmentSeconds,
  });

import { toNumber } from '../../shared/media/rational.ts';
import type { SourcePart } from '../../shared/protocol/encode-spec.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { AudioTrack, FrameIndex, ProbeResult, VideoTrack } from '../../shared/protocol/probe-result.ts';
import type { Clip } from '../contracts/fields/source-options.ts';
import { sourceRate } from './video/frame-rate.ts';

/** A probed source, or a part of one. `frames` is null for a source without video, or where they are not needed. */
export type ProbedSource = { probe: ProbeResult & { part?: SourcePart }; frames: FrameIndex | null };

/** Times of clients are rounded to milliseconds: a frame that begins this much later is meant. */
const toleranceSeconds = 0.0005;
/** The shortest clip of sound. */
const shortestSoundSeconds = 0.001;

/** Seconds of the source. */
type Span = { startSeconds: number; endSeconds: number };

/**
 * The source as if it had nothing but a clip of it: fewer frames, and shorter tracks. Its times stay those of the file.
 * A clip begins with the frame that is shown at its start and ends with the last one that begins before its end, and
 * so does its sound. Without video, both ends are exact. Where one picture lasts long, because the frame rate varies
 * or the video is shorter than the sound, the clip begins and ends within it.
 * @param clip in seconds from the first picture or sound of the source
 * @throws JobError INPUT_CLIP_EMPTY when it is outside the source, or shorter than a frame
 */
export function narrowToClip({ probe, frames }: ProbedSource, clip: Clip): ProbedSource {
  const { video, audio } = probe;
  const originSeconds = firstSecondsOf(probe);
  const lastSeconds = Math.max(...spansOf(probe).map(({ endSeconds }) => endSeconds));
  const asked = {
    startSeconds: originSeconds + (clip.startSeconds ?? 0),
    endSeconds: Math.min(originSeconds + (clip.endSeconds ?? Number.POSITIVE_INFINITY), lastSeconds),
  };
  const shortestSeconds = video && video.frameCount > 1 ? 1 / toNumber(sourceRate(video)) : shortestSoundSeconds;
  if (asked.endSeconds - asked.startSeconds < shortestSeconds - toleranceSeconds) throw emptyClip(clip, probe);
  const pictures = video && frames && narrowVideo(video, frames, asked);
  const span = pictures ? pictures.span : asked;
  const sound = audio.flatMap((track) => narrowAudio(track, span));
  const { startSeconds, endSeconds, firstFrame } = pictures?.part ?? { ...asked, firstFrame: 0 };
  return {
    probe: {
      ...probe,
      durationSeconds: span.endSeconds - span.startSeconds,
      video: pictures?.track ?? null,
      audio: sound,
      part: { startSeconds, endSeconds, firstFrame, soundFromSeconds: soundFrom(probe, span) },
    },
    frames: pictures?.frames ?? null,
  };
}

/** Decoders of sound converge within this time, whatever their codec. */
const soundLeadSeconds = 1;

/** Demuxers seek to key frames of the video. Before the first one, they would go to it and skip the sound before. */
function soundFrom({ video, audio }: ProbeResult, { startSeconds }: Span): number | null {
  const fromSeconds = startSeconds - soundLeadSeconds;
  const firstSeconds = video ? spanOf(video).startSeconds : Math.min(...audio.map((track) => track.startSeconds));
  return fromSeconds <= firstSeconds ? null : fromSeconds;
}

const spansOf = ({ video, audio }: ProbeResult): Span[] => [...(video ? [spanOf(video)] : []), ...audio.map(soundOf)];

/** The source time of the first picture or sound. */
export const firstSecondsOf = (probe: ProbeResult): number =>
  Math.min(...spansOf(probe).map(({ startSeconds }) => startSeconds));

const spanOf = ({ startPts, endPts, timeBase }: VideoTrack): Span => ({
  startSeconds: startPts * toNumber(timeBase),
  endSeconds: endPts * toNumber(timeBase),
});

const soundOf = ({ startSeconds, durationSeconds }: AudioTrack): Span => ({
  startSeconds,
  endSeconds: startSeconds + durationSeconds,
});

function emptyClip({ startSeconds = 0, endSeconds }: Clip, { durationSeconds }: ProbeResult): JobError {
  const seconds = Math.round(durationSeconds * 1000) / 1000;
  const asked = endSeconds === undefined ? `from ${startSeconds} s on` : `from ${startSeconds} s to ${endSeconds} s`;
  return new JobError(
    'INPUT_CLIP_EMPTY',
    `The clip ${asked} has no frame of the file, which lasts ${seconds} s. Choose times within the file, at least a frame apart.`,
  );
}

/** None where the track has no sound in the span. */
function narrowAudio(track: AudioTrack, span: Span): AudioTrack[] {
  const sound = soundOf(track);
  const startSeconds = Math.max(sound.startSeconds, span.startSeconds);
  const durationSeconds = Math.min(sound.endSeconds, span.endSeconds) - startSeconds;
  return durationSeconds >= shortestSoundSeconds ? [{ ...track, startSeconds, durationSeconds }] : [];
}

/** `span` is what sound beside it covers. */
type NarrowedVideo = { track: VideoTrack; frames: FrameIndex; span: Span; part: Omit<SourcePart, 'soundFromSeconds'> };

function narrowVideo(track: VideoTrack, index: FrameIndex, asked: Span): NarrowedVideo {
  const times = presentationTimes(index);
  const secondsPerTick = toNumber(track.timeBase);
  const { first, after, startPts, endPts } = track.constantFrameRate
    ? countedFrames(track, asked)
    : timedFrames(track, times, asked);
  const frames = narrowIndex(index, times, first, after);
  const whole = spanOf(track);
  const startCut = frames.before?.cutPts ?? Math.min(times[first]!, startPts);
  const endCut = frames.after?.cutPts ?? Math.max(track.endPts, endPts);
  return {
    track: { ...track, startPts, endPts, frameCount: after - first },
    frames,
    span: {
      startSeconds: asked.startSeconds < whole.startSeconds ? asked.startSeconds : startPts * secondsPerTick,
      endSeconds: asked.endSeconds > whole.endSeconds ? asked.endSeconds : endPts * secondsPerTick,
    },
    part: { startSeconds: startCut * secondsPerTick, endSeconds: endCut * secondsPerTick, firstFrame: first },
  };
}

/** Frames [first, after) of a track, and the times between which they are shown. */
type ShownFrames = { first: number; after: number; startPts: number; endPts: number };

/** At a constant rate, frame n is shown at the time that it has in the output of the whole source. */
function countedFrames(track: VideoTrack, { startSeconds, endSeconds }: Span): ShownFrames {
  const { frameCount, averageFrameRate, timeBase } = track;
  const framesPerSecond = toNumber(averageFrameRate);
  const ticksPerFrame = 1 / (framesPerSecond * toNumber(timeBase));
  const frameAt = (seconds: number) => (seconds - track.startPts * toNumber(timeBase)) * framesPerSecond;
  const tolerance = toleranceSeconds * framesPerSecond;
  const first = clamp(Math.floor(frameAt(startSeconds) + tolerance), 0, frameCount - 1);
  const after = clamp(Math.ceil(frameAt(endSeconds) - tolerance), first + 1, frameCount);
  const startOf = (frame: number) => (frame === frameCount ? track.endPts : track.startPts + frame * ticksPerFrame);
  const shown = { first, after, startPts: Math.round(startOf(first)), endPts: Math.round(startOf(after)) };
  return heldAtEnds(shown, startOf(first + 1), { startSeconds, endSeconds }, { track, ticksPerFrame });
}

function timedFrames(track: VideoTrack, times: Float64Array, asked: Span): ShownFrames {
  const secondsPerTick = toNumber(track.timeBase);
  const first = Math.max(0, firstFrom(times, (asked.startSeconds + toleranceSeconds) / secondsPerTick, 'after') - 1);
  const last = firstFrom(times, (asked.endSeconds - toleranceSeconds) / secondsPerTick, 'at');
  const after = clamp(last, first + 1, track.frameCount);
  const shown = { first, after, startPts: times[first]!, endPts: times[after] ?? track.endPts };
  const ticksPerFrame = 1 / (toNumber(sourceRate(track)) * secondsPerTick);
  return heldAtEnds(shown, times[first + 1] ?? track.endPts, asked, { track, ticksPerFrame });
}

/**
 * A picture that is shown for longer than a frame is cut where the clip starts and ends. Half a frame before the next
 * picture the nearest frame of the output would show that one.
 */
function heldAtEnds(
  shown: ShownFrames,
  nextPts: number,
  asked: Span,
  { track, ticksPerFrame }: { track: VideoTrack; ticksPerFrame: number },
): ShownFrames {
  const secondsPerTick = toNumber(track.timeBase);
  const [startPts, endPts] = [asked.startSeconds, asked.endSeconds].map((at) => Math.round(at / secondsPerTick)) as [
    number,
    number,
  ];
  // Before the first picture, and after the last one.
  if (endPts <= track.startPts || startPts >= track.endPts) return { ...shown, startPts, endPts };
  return {
    ...shown,
    ...(startPts - shown.startPts > ticksPerFrame + 1 && {
      startPts: Math.min(startPts, Math.round(nextPts - ticksPerFrame / 2)),
    }),
    ...(shown.endPts - endPts > ticksPerFrame + 1 && { endPts }),
  };
}

const clamp = (value: number, least: number, most: number): number => Math.max(least, Math.min(value, most));

function presentationTimes({ ptsDeltas }: FrameIndex): Float64Array {
  const times = new Float64Array(ptsDeltas.length);
  let pts = 0;
  for (let frame = 0; frame < times.length; frame++) {
    pts += ptsDeltas[frame]!;
    times[frame] = pts;
  }
  return times;
}

/** The first position of an ascending list whose value is at (or after) a limit, by binary search. */
function firstFrom(values: Float64Array | readonly number[], limit: number, side: 'at' | 'after'): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (side === 'at' ? values[middle]! >= limit : values[middle]! > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The index of frames [first, after), with what a decoder has to know about those around them. */
function narrowIndex(index: FrameIndex, times: Float64Array, first: number, after: number): FrameIndex {
  const { ptsDeltas, keyFrames, endByteDeltas, copy } = index;
  const reachOf = (frame: number): number => endByteDeltas.slice(0, frame + 1).reduce((sum, delta) => sum + delta, 0);
  const [firstKey, afterKeys] = [firstFrom(keyFrames, first, 'at'), firstFrom(keyFrames, after, 'at')];
  // The last one at or before the first frame.
  const key = keyFrames[firstKey] === first ? first : keyFrames[firstKey - 1];
  const middle = (frame: number): number => times[frame]! - Math.floor((times[frame]! - times[frame - 1]!) / 2);
  return {
    ptsDeltas: [times[first]!].concat(ptsDeltas.slice(first + 1, after)),
    keyFrames: keyFrames.slice(firstKey, afterKeys).map((frame) => frame - first),
    endByteDeltas: [reachOf(first)].concat(endByteDeltas.slice(first + 1, after)),
    ...(copy && { copy: narrowCopy(copy, first, after, times.length) }),
    ...(first > 0 && {
      before: {
        firstPts: times[0]!,
        keyPts: times[key ?? 0]!,
        keyTicks: (times[(key ?? 0) + 1] ?? 1) - times[key ?? 0]!,
        cutPts: middle(first),
      },
    }),
    ...(after < times.length && { after: { cutPts: middle(after), reachBytes: reachOf(after) } }),
  };
}

/** Without its end, the last frames may be coded with the help of later ones. */
function narrowCopy(
  { frameBytes, starts }: NonNullable<FrameIndex['copy']>,
  first: number,
  after: number,
  frameCount: number,
): NonNullable<FrameIndex['copy']> {
  const [firstStart, afterStarts] = [firstFrom(starts, first, 'at'), firstFrom(starts, after, 'at')];
  const isOpen = starts[firstStart] !== first || (after < frameCount && starts[afterStarts] !== after);
  return {
    frameBytes: frameBytes.slice(first, after),
    starts: starts.slice(firstStart, afterStarts).map((frame) => frame - first),
    ...(isOpen && { isOpen: true as const }),
  };
}

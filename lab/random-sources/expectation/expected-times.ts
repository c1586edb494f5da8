import { toNumber } from '../../../shared/media/rational.ts';
import { containers } from '../description/containers.ts';
import {
  type AudioTrack,
  chosenAudio,
  endSeconds,
  mainVideo,
  type Source,
  type VideoTrack,
} from '../description/source.ts';

/** A picture of the source, and when it is shown. */
export type Picture = { number: number; fromSeconds: number; untilSeconds: number };

/** The pictures of a track in order, each until the next one. */
export function picturesOf({ numbers, firstNumber, startSeconds, rate }: VideoTrack): Picture[] {
  const at = (number: number): number => startSeconds + number / toNumber(rate);
  return numbers.map((number, n) => ({
    number: number + firstNumber,
    fromSeconds: at(number),
    untilSeconds: at(numbers[n + 1] ?? number + 1),
  }));
}

/** The tracks that viewers get. The presentation lasts from the first of their starts, second 0, to the last end. */
export function chosenTracks(source: Source): (VideoTrack | AudioTrack)[] {
  const video = mainVideo(source);
  return [...(video ? [video] : []), ...chosenAudio(source)];
}

export const presentationSeconds = (source: Source): number => Math.max(...chosenTracks(source).map(endSeconds));

/** Frames that a decoder of x264's streams waits for. */
const reorderedFrames = 2;

/**
 * By how much a file may be longer than its description: audio is a number of packets, and the delay of an audio
 * encoder counts where the container does not say that it is not to be played. AVI has decode times only, so that a
 * decoder that reorders frames returns them later.
 */
export function slackSeconds(source: Source): number {
  const { tickSeconds } = containers[source.container];
  const packets = chosenAudio(source).map(({ codec }) => (codec === 'pcm' || codec === 'flac' ? 0.01 : 0.075));
  const video = mainVideo(source);
  const isReordered = source.container === 'avi' && video?.codec === 'h264';
  return Math.max(0.005, ...packets) + 2 * tickSeconds + (isReordered ? reorderedFrames / toNumber(video.rate) : 0);
}

/** Frames per second of the renditions. */
export type ExpectedRate = { least: number; most: number };

const usualLimit = 60;

/**
 * A constant rate is kept, or divided by the smallest whole number that brings it to the limit. A variable rate becomes
 * that of its finest usual step. Pictures without motion may have any rate that loses none of them.
 */
export function expectedRate(
  { rate, cadence }: Pick<VideoTrack, 'rate' | 'cadence'>,
  fpsCap: number | null,
): ExpectedRate {
  const [nominal, limit] = [toNumber(rate), fpsCap ?? usualLimit];
  const most = nominal / Math.max(1, Math.ceil(nominal / limit - 0.001));
  if (cadence === 'static' || cadence === 'single') return { least: 0, most: limit };
  return cadence === 'scroll' ? { least: most, most: limit } : { least: most, most };
}

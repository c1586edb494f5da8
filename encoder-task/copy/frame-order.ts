import { hiddenFlag, type SampleList } from '../isobmff/sample-list.ts';
import type { MovieTrack } from '../isobmff/track.ts';
import { NotCopyable } from './not-copyable.ts';

/** The samples of a track as frames: sample n in decoding order is frame `frames[n]` in the order of presentation. */
export type FrameOrder = {
  frames: Uint32Array;
  /** samples, which are also frames, before which all others are presented: where a segment may start */
  starts: number[];
  /** how many frames decoding is ahead of presentation at most */
  delayFrames: number;
};

/** Throws NotCopyable unless every sample is presented exactly once. */
export function frameOrder({ samples }: MovieTrack): FrameOrder {
  const times = presentationTimes(samples);
  const order = Uint32Array.from(times.keys()).sort((a, b) => times[a]! - times[b]! || a - b);
  const frames = new Uint32Array(samples.length);
  for (const [frame, sample] of order.entries()) {
    const isHidden = (samples.flags[sample]! & hiddenFlag) !== 0;
    const isRepeated = frame > 0 && times[sample] === times[order[frame - 1]!];
    if (isHidden || isRepeated) throw new NotCopyable('frames', 'a sample is not one frame');
    frames[sample] = frame;
  }
  return { frames, ...startsOf(frames) };
}

function presentationTimes({ length, decodeTicks, compositionOffsets }: SampleList): Float64Array {
  const times = new Float64Array(length);
  for (let n = 0; n < length; n++) times[n] = decodeTicks[n]! + compositionOffsets[n]!;
  return times;
}

function startsOf(frames: Uint32Array): Pick<FrameOrder, 'starts' | 'delayFrames'> {
  const starts: number[] = [];
  let [last, delayFrames] = [-1, 0];
  for (const [sample, frame] of frames.entries()) {
    // all samples so far are the frames before this one
    if (frame === sample && last < sample) starts.push(sample);
    last = Math.max(last, frame);
    delayFrames = Math.max(delayFrames, sample - frame);
  }
  return { starts, delayFrames };
}

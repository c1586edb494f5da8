import type { Rational } from '../../shared/media/rational.ts';
import type { VideoRange } from '../../shared/media/video-range.ts';

/** Takes down what is wrong with a file or an entry of a manifest. */
export type Report = (where: string, what: string) => void;

/** What a segment's bytes say, whatever a manifest says of them. Seconds are on the rendition's own clock. */
export type SegmentFacts = {
  url: URL;
  bytes: number;
  startSeconds: number;
  durationSeconds: number;
  frames: number;
  /** of fragmented video: where the bytes of the first frame end */
  keyFrameEnd: number | null;
};

/** A rendition by its bytes. Segments that cannot be read are null; they have been reported. */
export type Rendition = {
  kind: 'video' | 'audio';
  /** of all its tracks, as RFC 6381 has it */
  codecs: string[];
  segments: (SegmentFacts | null)[];
  width: number | null;
  height: number | null;
  sampleAspectRatio: Rational;
  framesPerSecond: number | null;
  videoRange: VideoRange | null;
  channels: number | null;
};

/** Name and folder: files of different renditions have the same names. */
export const fileName = (url: URL): string => url.pathname.split('/').slice(-2).join('/');

const readable = ({ segments }: Rendition): SegmentFacts[] => segments.filter((segment) => segment !== null);

export const endSeconds = (rendition: Rendition): number => {
  const last = readable(rendition).at(-1);
  return last ? last.startSeconds + last.durationSeconds : 0;
};

export const startSeconds = (rendition: Rendition): number => readable(rendition)[0]?.startSeconds ?? 0;

export function averageBitrate(rendition: Rendition): number {
  const segments = readable(rendition);
  const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
  return (bytes * 8) / segments.reduce((sum, segment) => sum + segment.durationSeconds, 0);
}

/** RFC 8216, 4.1: the largest bitrate of any contiguous segments that last between 0.5 and 1.5 target durations together. */
export function peakBitrate(rendition: Rendition, targetSeconds: number): number {
  const segments = readable(rendition);
  let peak = averageBitrate(rendition);
  for (const [first] of segments.entries()) {
    let [bytes, seconds] = [0, 0];
    for (const segment of segments.slice(first)) {
      bytes += segment.bytes;
      seconds += segment.durationSeconds;
      if (seconds > 1.5 * targetSeconds) break;
      if (seconds >= 0.5 * targetSeconds) peak = Math.max(peak, (bytes * 8) / seconds);
    }
  }
  return peak;
}

/** Whether a number that a manifest gives is the real one: at least that, and no more than `excess` of it too much. */
export const isNearly = (given: number, real: number, excess = 0.02): boolean =>
  given >= real * 0.999 && given <= real * (1 + excess) + 1;

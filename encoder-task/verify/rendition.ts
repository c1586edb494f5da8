import type { Rational } from '../../shared/media/rational.ts';
import type { VideoRange } from '../../shared/media/video-range.ts';

/** Records a problem of a file or of a manifest entry. */
export type Report = (where: string, what: string) => void;

/** Facts of a segment from its bytes, not from the manifest. Seconds are on the rendition's clock. */
export type SegmentProperties = {
  url: URL;
  bytes: number;
  startSeconds: number;
  durationSeconds: number;
  frames: number;
  /** position after the first frame of a fragmented video segment, else null */
  keyFrameEnd: number | null;
};

/** A rendition from its bytes. Segments that could not be read are null; the problem has been reported. */
export type Rendition = {
  kind: 'video' | 'audio';
  /** RFC 6381 strings of all tracks */
  codecs: string[];
  segments: (SegmentProperties | null)[];
  width: number | null;
  height: number | null;
  sampleAspectRatio: Rational;
  framesPerSecond: number | null;
  videoRange: VideoRange | null;
  channels: number | null;
};

/** File name with its folder, since renditions use the same file names. */
export const fileName = (url: URL): string => url.pathname.split('/').slice(-2).join('/');

const readable = ({ segments }: Rendition): SegmentProperties[] => segments.filter((segment) => segment !== null);

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

/**
 * RFC 8216, 4.1: the highest bitrate of contiguous segments with a total duration between 0.5 and 1.5 target durations.
 */
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

/** Whether a manifest declares the actual value: not less, and at most the fraction `excess` more. */
export const isNearly = (declared: number, actual: number, excess = 0.02): boolean =>
  declared >= actual * 0.999 && declared <= actual * (1 + excess) + 1;

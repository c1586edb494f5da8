import type { CopyProperties } from '../../shared/protocol/copy-properties.ts';
import type { FrameIndex, VideoTrack } from '../../shared/protocol/probe-result.ts';
import type { Movie } from '../isobmff/movie.ts';
import { isKeySample, type SampleList } from '../isobmff/sample-list.ts';
import type { Source } from '../source/open-source.ts';
import { checkPicture, profileOf, readAvcTrack } from './avc-track.ts';
import { type FrameOrder, frameOrder } from './frame-order.ts';
import { NotCopyable } from './not-copyable.ts';
import { beginsWithIdr } from './sample-checker.ts';

type Described = { properties: CopyProperties; index: FrameIndex['copy'] };

/**
 * What a plan needs to decide whether the samples of the video track can be packaged as they are. Reads the beginnings
 * of a few key frames only: the job that copies checks every sample. Undefined for codecs that are not copied.
 */
export async function describeCopy(
  source: Pick<Source, 'read' | 'totalBytes'>,
  movie: Movie | undefined,
  video: VideoTrack,
): Promise<Described | undefined> {
  if (video.codec !== 'h264') return undefined;
  try {
    return await describe(source, movie, video);
  } catch (error) {
    if (error instanceof NotCopyable) return { properties: { obstacle: error.obstacle }, index: undefined };
    throw error;
  }
}

async function describe(
  source: Pick<Source, 'read' | 'totalBytes'>,
  movie: Movie | undefined,
  { streamIndex, frameCount, width, height, editShifts }: VideoTrack,
): Promise<Described> {
  const track = movie?.tracks[streamIndex];
  if (!movie || !track) throw new NotCopyable('container', 'packets were read without an index');
  const avc = readAvcTrack(movie.file.moov, streamIndex);
  checkPicture(avc, { width, height });
  const order = frameOrder(track);
  if (order.frames.length !== frameCount || editShifts)
    throw new NotCopyable('frames', 'not all samples are presented');
  const { samples } = track;
  // a copy stores all of them
  if (samples.bytes.reduce((sum, bytes) => sum + bytes, 0) > source.totalBytes) {
    throw new NotCopyable('damage', 'samples share their bytes');
  }
  const starts = order.starts.filter((sample) => isKeySample(samples, sample));
  const isIdr = await Promise.all(
    someOf(starts).map(async (sample) => {
      const start = samples.positions[sample]!;
      const end = Math.min(start + samples.bytes[sample]!, start + headBytes, source.totalBytes);
      return end > start && beginsWithIdr(await source.read(start, end), avc);
    }),
  );
  if (isIdr.includes(false)) throw new NotCopyable('key-frames', 'a key frame is no IDR picture');
  return {
    properties: { profile: profileOf(avc.sequence), level: avc.sequence.levelIdc / 10 },
    index: { frameBytes: frameBytes(samples, order), starts },
  };
}

/** Enough for the messages before the first slice of a key frame. */
const headBytes = 16 * 1024;

/** The first, the last and two between. */
function someOf(starts: number[]): number[] {
  const last = starts.length - 1;
  const chosen = new Set([0, last / 3, (2 * last) / 3, last].map(Math.floor));
  return [...chosen].flatMap((n) => starts[n] ?? []);
}

function frameBytes({ bytes }: SampleList, { frames }: FrameOrder): number[] {
  const sizes = new Array<number>(frames.length);
  for (const [sample, frame] of frames.entries()) sizes[frame] = bytes[sample]!;
  return sizes;
}

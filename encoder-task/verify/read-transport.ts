import { readTransportStream, type TransportStream } from '../mpegts/transport-stream.ts';
import { readBytes } from './read-bytes.ts';
import { fileName, type Rendition, type Report, type SegmentProperties } from './rendition.ts';

const clockHz = 90_000;
/** Rounding of audio times to the clock. */
const audioToleranceTicks = 2;

/** Reads MPEG-TS segments with video, audio or both, and reports gaps between them. */
export async function readTransport(segments: URL[], report: Report): Promise<Rendition | undefined> {
  const read: (TransportStream & { url: URL; bytes: number })[] = [];
  const properties: (SegmentProperties | null)[] = [];
  let frameTicks = 0;
  for (const url of segments) {
    const wrong = (what: string): void => report(fileName(url), what);
    try {
      const bytes = await readBytes(url);
      const stream = readTransportStream(bytes);
      const before = read.at(-1);
      frameTicks ||= frameTicksOf(stream);
      if (stream.video && !stream.video.startsWithKeyFrame) wrong('does not start with a key frame');
      for (const what of [...stream.problems, ...gaps(before, stream, frameTicks), ...sizeChanges(before, stream)]) {
        wrong(what);
      }
      read.push({ ...stream, url, bytes: bytes.length });
      properties.push(propertiesOf(stream, frameTicks, url, bytes.length));
    } catch (error) {
      wrong(`cannot be read: ${(error as Error).message}`);
      properties.push(null);
    }
  }
  const first = read[0];
  if (!first) return undefined;
  return {
    kind: first.video ? 'video' : 'audio',
    codecs: [...(first.video ? [first.video.codecs] : []), ...(first.audio ? ['mp4a.40.2'] : [])],
    segments: properties,
    width: first.video?.size?.width ?? null,
    height: first.video?.size?.height ?? null,
    sampleAspectRatio: first.video?.size?.sampleAspectRatio ?? { num: 1, den: 1 },
    videoRange: null,
    channels: null,
    framesPerSecond: first.video && frameTicks ? clockHz / frameTicks : null,
  };
}

function frameTicksOf({ video }: TransportStream): number {
  if (!video || video.ticks.length < 2) return 0;
  return (video.ticks.at(-1)! - video.ticks[0]!) / (video.ticks.length - 1);
}

function propertiesOf(stream: TransportStream, frameTicks: number, url: URL, bytes: number): SegmentProperties {
  const { video, audio } = stream;
  const [startTicks, durationTicks, frames] = video
    ? [video.ticks[0]!, frameTicks * video.ticks.length, video.ticks.length]
    : [audio!.startTicks, audio!.endTicks - audio!.startTicks, audio!.frames];
  const seconds = { startSeconds: startTicks / clockHz, durationSeconds: durationTicks / clockHz };
  return { url, bytes, frames, ...seconds, keyFrameEnd: null };
}

function sizeChanges(before: TransportStream | undefined, { video }: TransportStream): string[] {
  const [was, is] = [before?.video?.size, video?.size];
  if (video && !is) return ['has no sequence parameter set with the frame size'];
  if (!was || !is || (was.width === is.width && was.height === is.height)) return [];
  return [`has ${is.width} × ${is.height} pixels, the previous segment ${was.width} × ${was.height}`];
}

function gaps(before: TransportStream | undefined, { video, audio }: TransportStream, frameTicks: number): string[] {
  const found: string[] = [];
  const expected = before?.video ? before.video.ticks.at(-1)! + frameTicks : undefined;
  // a frame at 29.97 Hz is not a whole number of ticks
  if (expected !== undefined && video && Math.abs(video.ticks[0]! - expected) > 2) {
    found.push(`its video starts at ${video.ticks[0]} ticks instead of ${Math.round(expected)}`);
  }
  if (before?.audio && audio && Math.abs(audio.startTicks - before.audio.endTicks) > audioToleranceTicks) {
    found.push(`its audio starts at ${audio.startTicks} ticks instead of ${Math.round(before.audio.endTicks)}`);
  }
  return found;
}

import type { ProbeDocument, ProbeStream } from '../../../shared/protocol/probe-document.ts';
import { hasDecoder } from '../codec-name.ts';
import { isCoverArt } from '../public-meta.ts';
import type { Survey } from './packet-survey.ts';

/** What FFmpeg reads by default. It may need more than the first packet of a stream. */
const defaultProbeBytes = 5_000_000;

/**
 * How many bytes of packets FFmpeg has to read to learn the parameters that it did not find in the first 5 MB or 5 s:
 * of a stream that starts later, or whose first key frame is later. Undefined when more would not help.
 */
export function bytesToProbe({ streams }: ProbeDocument, survey: Survey): number | undefined {
  const late = streams
    .filter((stream) => lacksParameters(stream) && hasDecoder(stream) && !isCoverArt(stream))
    .flatMap(({ index }) => survey.get(index)?.bytesUntilKey ?? []);
  return late.length > 0 ? Math.max(...late) + defaultProbeBytes : undefined;
}

/** Whether FFmpeg knows too little of an audio or video stream to describe it. */
export function lacksParameters({ codec_type, sample_rate, channels, width, pix_fmt }: ProbeStream): boolean {
  if (codec_type === 'audio') return !(Number(sample_rate) > 0) || !channels;
  return codec_type === 'video' && (!width || !pix_fmt);
}

/**
 * A program stream has no list of its streams: FFmpeg finds those that begin in the part that it probes, or that are
 * at the end of the file. More is read to find the others; jobs read as much, and keep it in memory.
 */
export const programStreamBytes = 50_000_000;

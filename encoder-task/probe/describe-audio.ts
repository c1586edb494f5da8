import type { AudioTrack } from '../../shared/probe.ts';
import { parseRational, toNumber } from '../../shared/rational.ts';
import { languageTag } from './language-tag.ts';
import type { AudioSpan } from './packet-index.ts';
import type { ProbeStream } from './probe-document.ts';

/** An audio track by its headers and packets. Undefined when it has no packets or none that a decoder could take. */
export function describeAudio(stream: ProbeStream, span: AudioSpan | undefined): AudioTrack | undefined {
  const timeBase = parseRational(stream.time_base);
  const sampleRateHz = Number(stream.sample_rate);
  if (!span || !timeBase || !(sampleRateHz > 0) || !stream.channels || !stream.codec_name) return undefined;
  const durationSeconds = (span.endPts - span.startPts) * toNumber(timeBase);
  if (durationSeconds <= 0) return undefined;
  return {
    streamIndex: stream.index,
    codec: stream.codec_name,
    channels: Math.min(stream.channels, 64),
    sampleRateHz,
    language: languageTag(stream.tags?.language),
    isDefault: stream.disposition?.default === 1,
    startSeconds: span.startPts * toNumber(timeBase),
    durationSeconds,
  };
}

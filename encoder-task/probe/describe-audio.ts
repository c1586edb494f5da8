import { parseRational, toNumber } from '../../shared/media/rational.ts';
import type { ProbeStream } from '../../shared/protocol/probe-document.ts';
import { type AudioTrack, maxSampleRateHz, maxStartSeconds } from '../../shared/protocol/probe-result.ts';
import { languageTag } from './language-tag.ts';
import type { AudioSpan } from './packet-index.ts';

/** An audio track from its headers and packets. Undefined when it has no packets or cannot be decoded. */
export function describeAudio(stream: ProbeStream, span: AudioSpan | undefined): AudioTrack | undefined {
  const timeBase = parseRational(stream.time_base);
  const sampleRateHz = Number(stream.sample_rate);
  if (!span || !timeBase || !(sampleRateHz > 0) || !stream.channels || !stream.codec_name) return undefined;
  const durationSeconds = (span.endPts - span.startPts) * toNumber(timeBase);
  const startSeconds = span.startPts * toNumber(timeBase);
  if (!(durationSeconds > 0) || Math.abs(startSeconds) > maxStartSeconds) return undefined;
  return {
    streamIndex: stream.index,
    codec: stream.codec_name,
    channels: Math.min(stream.channels, 64),
    channelLayout: stream.channel_layout && stream.channel_layout !== 'unknown' ? stream.channel_layout : null,
    sampleRateHz: Math.min(Math.round(sampleRateHz), maxSampleRateHz),
    language: languageTag(stream.tags?.language),
    isDefault: stream.disposition?.default === 1,
    startSeconds,
    durationSeconds,
  };
}

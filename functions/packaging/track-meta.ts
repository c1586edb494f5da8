import type * as z from 'zod';
import type { encodedMeta } from '../contracts/fields/stream-meta-fields.ts';
import { codecLevel } from './codec-level.ts';
import { averageBandwidth, durationSeconds, type PackagedTrack, peakBandwidth } from './packaged-track.ts';

type EncodedMeta = z.input<typeof encodedMeta>;

/** `stream.meta` of an encoded track: what was measured and read of the finished segments, nothing of what was asked for. */
export function trackMeta(track: PackagedTrack): EncodedMeta {
  const { codecs, facts = {}, frameCount } = track;
  const seconds = durationSeconds(track);
  return {
    codecs,
    profile: facts.profile,
    level: codecLevel(codecs),
    duration: thousandths(seconds),
    bitrate: averageBandwidth(track),
    peak_bitrate: peakBandwidth(track),
    frame_rate: frameCount === undefined ? undefined : thousandths(frameCount / seconds),
    pixel_format: facts.pixelFormat,
    color_primaries: facts.colorPrimaries,
    color_transfer: facts.colorTransfer,
    color_space: facts.colorSpace,
    color_range: facts.colorRange,
    sample_rate: facts.sampleRateHz,
    channel_layout: facts.channelLayout,
    loudness: facts.loudnessLufs,
  };
}

type MuxedFile = { bytes: number; durationSeconds: number; codecs: string };

/** `stream.meta` of one file that holds several tracks, and of each of them. */
export const fileMeta = (
  file: MuxedFile,
  tracks: { video: PackagedTrack; audio: PackagedTrack | undefined },
): EncodedMeta => ({
  codecs: file.codecs,
  duration: thousandths(file.durationSeconds),
  bitrate: Math.ceil((file.bytes * 8) / file.durationSeconds),
  video: trackMeta(tracks.video),
  audio: tracks.audio && trackMeta(tracks.audio),
});

const thousandths = (value: number): number => Math.round(value * 1000) / 1000;

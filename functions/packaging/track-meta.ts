import type * as z from 'zod';
import type { encodedMeta } from '../contracts/fields/stream-meta-fields.ts';
import { averageBandwidth, durationSeconds, type PackagedTrack, peakBandwidth } from '../job-results/packaged-track.ts';
import { codecLevel } from './codec-level.ts';

type EncodedMeta = z.input<typeof encodedMeta>;

/** `stream.meta` of an encoded track, measured on its finished segments. Requested values are not in it. */
export function trackMeta(track: PackagedTrack): EncodedMeta {
  const { codecs, facts: properties = {}, frameCount, copied } = track;
  const seconds = durationSeconds(track);
  return {
    codecs,
    copied,
    profile: properties.profile,
    level: codecLevel(codecs),
    duration: toThousandths(seconds),
    bitrate: averageBandwidth(track),
    peak_bitrate: peakBandwidth(track),
    frame_rate: frameCount === undefined ? undefined : toThousandths(frameCount / seconds),
    pixel_format: properties.pixelFormat,
    color_primaries: properties.colorPrimaries,
    color_transfer: properties.colorTransfer,
    color_space: properties.colorSpace,
    color_range: properties.colorRange,
    sample_rate: properties.sampleRateHz,
    channel_layout: properties.channelLayout,
    loudness: properties.loudnessLufs,
  };
}

type MuxedFile = { bytes: number; durationSeconds: number; codecs: string };

/** `stream.meta` of one file with several tracks: of the file, and of each track. */
export const fileMeta = (
  file: MuxedFile,
  tracks: { video: PackagedTrack; audio: PackagedTrack | undefined },
): EncodedMeta => ({
  codecs: file.codecs,
  duration: toThousandths(file.durationSeconds),
  bitrate: Math.ceil((file.bytes * 8) / file.durationSeconds),
  video: trackMeta(tracks.video),
  audio: tracks.audio && trackMeta(tracks.audio),
});

const toThousandths = (value: number): number => Math.round(value * 1000) / 1000;

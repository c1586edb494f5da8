import type { VideoSource } from '../../shared/protocol/encode-spec.ts';
import { maxPixels } from '../../shared/protocol/probe-result.ts';

/**
 * Demuxers for untrusted files. Playlists (HLS, DASH, concat) are excluded because they refer to other files and
 * addresses: with only a protocol whitelist, ffmpeg opened a local file of another user and sent requests to 127.0.0.1.
 * Raw streams are excluded because they have no timestamps.
 */
const formats = [
  'mov',
  'matroska',
  'mpegts',
  'mpeg',
  'avi',
  'flv',
  'asf',
  'ogg',
  'mxf',
  'gif',
  'dv',
  'nut',
  'wav',
  'w64',
  'aiff',
  'caf',
  'mp3',
  'flac',
  'aac',
  'ac3',
  'eac3',
  'amr',
];

/** Options of ffmpeg and ffprobe for every untrusted file, before `-i`. */
export const untrustedInputArgs: readonly string[] = [
  // the source comes from the loopback server of this process; nothing else may be opened, not even a local file
  ...['-protocol_whitelist', 'http,tcp'],
  ...['-format_whitelist', formats.join(',')],
  ...['-max_pixels', String(maxPixels)],
  // the source server ends a response after the bytes that it has fetched
  ...['-reconnect', '1', '-reconnect_delay_max', '1'],
];

/** Longer than any source: the bytes limit what is read. */
const unlimitedMicroseconds = '1000000000000000';

/**
 * Options that let FFmpeg read more than the first 5 MB or 5 s to find streams and their parameters. Empty by default,
 * which is enough for most files.
 */
export const probingArgs = (probeBytes: number | undefined): string[] =>
  probeBytes === undefined ? [] : ['-probesize', String(probeBytes), '-analyzeduration', unlimitedMicroseconds];

/**
 * Options that start reading near a source time, before `-i`; null for the beginning of the file. Filters cut exactly:
 * FFmpeg's own cut is inexact when the times of a file do not start at 0, to which it relates others than `timestamps`.
 */
export const seekArgs = (seconds: number | null): string[] =>
  seconds === null ? [] : ['-seek_timestamp', '1', '-noaccurate_seek', '-ss', seconds.toFixed(6)];

/**
 * Options of an input whose frames are counted or collected by filters, before `-i`. The frame size of calls and live
 * recordings changes. A rebuilt graph would count frames from 0 again and lose those that it has collected, and scale
 * handles any size.
 */
export const sameGraphArgs: readonly string[] = ['-reinit_filter', '0'];

/** Chooses the decoder that returns the alpha channel of a source, before `-i`. */
export const decoderArgs = ({ streamIndex, transparency }: VideoSource): string[] =>
  transparency?.decoder ? [`-c:${streamIndex}`, transparency.decoder] : [];

/** Limit of one allocation, 1 GiB. An 8K frame of 4:4:4 in 16 bits needs 212 MB. */
export const maxAllocArgs: readonly string[] = ['-max_alloc', String(2 ** 30)];

/** The first arguments of every ffmpeg run. */
export const ffmpegArgs: readonly string[] = [
  ...['-nostdin', '-hide_banner', '-v', 'error', '-y'],
  // frame counts and times on stdout show whether the run makes progress
  ...['-progress', 'pipe:1', '-stats_period', '0.5', '-nostats'],
  // a damaged chunk may decode to less than a third of its frames; the output is checked instead
  ...['-max_error_rate', '1'],
  ...maxAllocArgs,
];

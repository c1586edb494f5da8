import { maxPixels } from './output/frame-size.ts';

/**
 * Real containers only. A playlist (HLS, DASH, concat) is a "video" that names other files and addresses; with a protocol list alone
 * ffmpeg opened another user's local file and sent requests to 127.0.0.1. Raw streams have no clock and are left out too.
 */
const formats = [
  ...['mov', 'matroska', 'mpegts', 'mpeg', 'avi', 'flv', 'asf', 'ogg', 'mxf', 'gif', 'dv', 'nut'],
  ...['wav', 'w64', 'aiff', 'caf', 'mp3', 'flac', 'aac', 'ac3', 'eac3', 'amr'],
];

/** Options of ffmpeg and ffprobe that hold for every look at a stranger's file. They stand before `-i`. */
export const untrustedInputArgs: readonly string[] = [
  // the source comes from our own loopback server; nothing else can be named, not even a local file
  ...['-protocol_whitelist', 'http,tcp'],
  ...['-format_whitelist', formats.join(',')],
  ...['-max_pixels', String(maxPixels)],
  // our server ends an answer where it has fetched no more yet
  ...['-reconnect', '1', '-reconnect_delay_max', '1'],
];

/** One allocation may not pass 1 GiB: an 8K frame of 4:4:4 in 16 bits needs 212 MB. */
export const maxAllocArgs: readonly string[] = ['-max_alloc', String(2 ** 30)];

/** First arguments of every ffmpeg run. */
export const ffmpegArgs: readonly string[] = [
  ...['-nostdin', '-hide_banner', '-v', 'error', '-y'],
  // frames and times on stdout, so that a run that no longer moves is noticed
  ...['-progress', 'pipe:1', '-stats_period', '0.5', '-nostats'],
  // a damaged chunk may decode less than a third; what it is worth is decided by what comes out
  ...['-max_error_rate', '1'],
  ...maxAllocArgs,
];

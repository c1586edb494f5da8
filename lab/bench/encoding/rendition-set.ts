/** The renditions that the pipeline and plain ffmpeg encode from the same source. */
const bitratesKbps: Record<number, number> = { 1080: 5000, 720: 2800, 480: 1400 };
const heights = Object.keys(bitratesKbps)
  .map(Number)
  .sort((a, b) => b - a);
const segmentSeconds = 6;
const gopSeconds = 2;
const framesPerSecond = 30;
const preset = 'veryfast';

export const templateOf = (format: 'hls' | 'dash') => ({
  version: 1,
  video: heights.map((height) => ({
    name: `v${height}`,
    codec: 'h264',
    height,
    preset,
    gop: gopSeconds,
    bitrate: `${bitratesKbps[height]}k`,
    max_bitrate: `${bitratesKbps[height]! * 1.5}k`,
    buffer_size: `${bitratesKbps[height]! * 2}k`,
  })),
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k', channels: 2 }],
  outputs: [{ format, segment_duration: segmentSeconds }],
});

/** argv of one ffmpeg process that writes the same HLS to a folder. */
export function plainFfmpegArgs(source: string, folder: string): string[] {
  const gop = gopSeconds * framesPerSecond;
  const split = `[0:v]split=${heights.length}${heights.map((height) => `[s${height}]`).join('')}`;
  const scaled = heights.map((height) => `[s${height}]scale=-2:${height}[v${height}]`);
  return [
    ...['-i', source, '-filter_complex', [split, ...scaled].join(';')],
    ...heights.flatMap((height) => ['-map', `[v${height}]`]),
    ...['-map', '0:a', '-c:v', 'libx264', '-preset', preset, '-pix_fmt', 'yuv420p'],
    ...['-g', String(gop), '-keyint_min', String(gop), '-sc_threshold', '0'],
    ...heights.flatMap((height, index) => rateArgs(index, bitratesKbps[height]!)),
    ...['-c:a', 'aac', '-b:a', '128k', '-ac', '2', '-ar', '48000'],
    ...['-f', 'hls', '-hls_time', String(segmentSeconds), '-hls_playlist_type', 'vod', '-hls_segment_type', 'fmp4'],
    ...['-var_stream_map', [...heights.map((_, index) => `v:${index},agroup:a`), 'a:0,agroup:a'].join(' ')],
    ...['-master_pl_name', 'master.m3u8', `${folder}/%v.m3u8`],
  ];
}

const rateArgs = (index: number, kbps: number): string[] => [
  ...[`-b:v:${index}`, `${kbps}k`, `-maxrate:v:${index}`, `${kbps * 1.5}k`, `-bufsize:v:${index}`, `${kbps * 2}k`],
];

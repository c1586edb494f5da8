import type { VideoCodec } from '../../../shared/media/codecs.ts';

/** The template of the journeys: small, fast, and with several chunks. */
const rung = (height: number) => ({
  name: `v${height}`,
  codec: 'h264',
  height,
  bitrate: height > 240 ? '800k' : '400k',
  preset: 'ultrafast',
});

/** Rungs of these heights, and audio. */
export const streamsOf = (heights: number[]) => ({
  version: 1,
  video: heights.map(rung),
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k', channels: 2 }],
  // the minimum
  chunk_duration: 4,
});

/** HLS alone, for journeys that need any video. */
export const hlsOf = (heights: number[]) => ({
  ...streamsOf(heights),
  outputs: [{ format: 'hls', segment_duration: 2 }],
});

const streams = streamsOf([360, 240]);

export const everyFormat = {
  ...streams,
  outputs: [
    { format: 'hls', segment_duration: 2 },
    { format: 'dash', segment_duration: 2 },
    { format: 'mp4', video: ['v360'] },
  ],
  thumbnails: { poster: { at: '10%', width: 320 } },
};

export const browserCodecs = ['h264', 'vp9', 'av1'] as const;
export type BrowserCodec = (typeof browserCodecs)[number];

/** Each video codec with its usual audio codec, two sizes, every language, HLS and DASH over the same segments. */
export const codecOutputs = (codecs: readonly VideoCodec[]) => ({
  version: 1,
  video: codecs.flatMap((codec) =>
    [240, 144].map((height) => ({ ...rung(height), codec, name: `${codec}-${height}` })),
  ),
  audio: [...new Set(codecs.map(audioCodecOf))].map((codec) => ({
    name: codec,
    codec,
    bitrate: '96k',
    channels: 2,
    languages: 'all',
  })),
  outputs: codecs.flatMap((codec) =>
    ['hls', 'dash'].map((format) => ({
      name: `${format}-${codec}`,
      format,
      segment_duration: 2,
      video: [`${codec}-240`, `${codec}-144`],
      audio: [audioCodecOf(codec)],
    })),
  ),
});
const audioCodecOf = (codec: VideoCodec): string => (codec === 'h264' || codec === 'hevc' ? 'aac' : 'opus');

/** For browsers: every way to deliver the same two renditions. */
export const everyContainer = {
  ...streams,
  outputs: [
    { format: 'hls', name: 'hls', segment_duration: 2 },
    { format: 'hls', name: 'hls-ts', container: 'ts', segment_duration: 2 },
    { format: 'dash', name: 'dash', segment_duration: 2 },
    { format: 'mp4', name: 'mp4', video: ['v360'] },
  ],
};

/** An encode in several chunks, which start only while the gate of this bitrate is open (see `encode-gate.ts`). */
export const gatedChunks = (bitrateBps: number) => ({
  ...hlsOf([360]),
  video: [{ ...rung(360), bitrate: `${bitrateBps / 1000}k` }],
});

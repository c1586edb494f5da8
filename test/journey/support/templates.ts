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

/**
 * For browsers: each video codec with its usual audio codec, two sizes, every language, HLS and DASH over the same
 * segments.
 */
export const browserCodecs = ['h264', 'vp9', 'av1'] as const;
export const everyCodec = {
  version: 1,
  video: browserCodecs.flatMap((codec) =>
    [240, 144].map((height) => ({ ...rung(height), codec, name: `${codec}-${height}` })),
  ),
  audio: ['aac', 'opus'].map((codec) => ({ name: codec, codec, bitrate: '96k', channels: 2, languages: 'all' })),
  outputs: browserCodecs.flatMap((codec) =>
    ['hls', 'dash'].map((format) => ({
      ...{ name: `${format}-${codec}`, format, segment_duration: 2 },
      ...{ video: [`${codec}-240`, `${codec}-144`], audio: [codec === 'h264' ? 'aac' : 'opus'] },
    })),
  ),
};

export const transportStream = {
  ...streams,
  outputs: [{ format: 'hls', container: 'ts', segment_duration: 2 }],
};

/** A chunk takes long enough to interrupt it. */
export const slowChunks = {
  ...streams,
  video: [{ ...rung(360), preset: 'slower' }],
  outputs: [{ format: 'hls', segment_duration: 2 }],
};

/** What the journeys have made of the clip: small, quick, and in several chunks. */
const rung = (height: number) => ({
  name: `v${height}`,
  codec: 'h264',
  height,
  bitrate: height > 240 ? '800k' : '400k',
  preset: 'ultrafast',
});

/** Rungs of these heights, and sound. */
export const streamsOf = (heights: number[]) => ({
  version: 1,
  video: heights.map(rung),
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k', channels: 2 }],
  // the least that is allowed
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

export const transportStream = {
  ...streams,
  outputs: [{ format: 'hls', container: 'ts', segment_duration: 2 }],
};

/** A chunk takes long enough to be interrupted. */
export const slowChunks = {
  ...streams,
  video: [{ ...rung(360), preset: 'slower' }],
  outputs: [{ format: 'hls', segment_duration: 2 }],
};

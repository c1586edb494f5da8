/** What applies when a template, or one stream of a video, leaves a setting out. Each default has this one home. */
export const defaults = {
  segmentSeconds: 6,
  gopSeconds: 2,
  /** target length of the chunks that are encoded in parallel */
  chunkSeconds: 30,
  encoderPreset: 'medium',
  pixelFormat: 'yuv420p',
  fit: 'contain',
  background: '#000000',
  audio: { bitrate: '128k', channels: 2, sampleRateHz: 48_000 },
  ladder: { maxHeight: 1080, minHeight: 240, maxRenditions: 5 },
  thumbnailFormat: 'jpg',
  poster: { at: '10%', width: 1280 },
  sprite: { intervalSeconds: 10, tileWidth: 160, columns: 10, rows: 10 },
  images: { width: 640 },
  watermark: { position: 'bottom-right', width: '10%', margin: '2%' },
  preview: { seconds: 6, width: 320, format: 'webp' },
} as const;

/** The largest template and rendition that the API accepts. */
export const templateLimits = {
  maxOutputs: 8,
  maxVideoStreams: 12,
  maxAudioStreams: 16,
  maxWidth: 8192,
  maxHeight: 4320,
  maxFramesPerSecond: 120,
  maxImages: 100,
  /** longer than any video */
  maxWatermarkSeconds: 1_000_000,
  maxDeliveries: 5,
  maxQueryBytes: 65_536,
  /** ten years */
  maxRetentionDays: 3650,
} as const;

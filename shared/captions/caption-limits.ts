export const captionLimits = {
  /** of an uploaded file */
  maxFileBytes: 2 * 2 ** 20,
  /** of one text track: players keep all of them in memory */
  maxCues: 100_000,
  /** 100 hours: the longest time that all players read */
  maxTimeMs: 100 * 3_600_000 - 1,
  /** text tracks of one video */
  maxPerVideo: 100,
} as const;

/** What S3 takes, and what one user may have at once. */
export const uploadLimits = {
  objectBytes: 5 * 2 ** 40,
  postBytes: 5 * 2 ** 30,
  partBytes: 5 * 2 ** 20,
  suggestedPartBytes: 16 * 2 ** 20,
  parts: 10_000,
  openUploads: 100,
} as const;

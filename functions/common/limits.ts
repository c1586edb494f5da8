/** Limits of S3, and of the number of uploads that one user may have open. */
export const uploadLimits = {
  maxObjectBytes: 5 * 2 ** 40,
  maxPostBytes: 5 * 2 ** 30,
  minPartBytes: 5 * 2 ** 20,
  suggestedPartBytes: 16 * 2 ** 20,
  maxParts: 10_000,
  maxOpenUploads: 100,
} as const;

/** What the owner of a video may describe it with. Keys of metadata are ASCII; other lengths count characters. */
export const descriptionLimits = {
  maxPairs: 32,
  maxKeyCharacters: 40,
  maxValueCharacters: 500,
  maxTags: 16,
  maxTagCharacters: 32,
} as const;

/**
 * Lifetimes of the URL of an uploaded file. The store ends it with the credentials of the function that signs it, which
 * Lambda replaces after more than six hours.
 */
export const originalUrlSeconds = { min: 60, default: 3600, max: 6 * 3600 } as const;

/** Lifetimes of a video's signed URLs. */
export const signedUrlSeconds = { min: 60, default: 6 * 3600, max: 7 * 86_400 } as const;

/** For how long signed URLs of a video may be good: what is asked for lies between the shortest and the longest. */
export const signedSeconds = { shortest: 60, usual: 6 * 3600, longest: 7 * 86_400 } as const;

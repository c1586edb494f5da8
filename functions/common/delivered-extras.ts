/** What a storage delivery can copy beside outputs. */
export const deliveredExtras = ['poster', 'captions', 'original', 'metadata'] as const;

/**
 * What an audio track is for, beside the language. `description`: the picture in words, for viewers who cannot see it;
 * `clear-speech`: speech that is easier to understand; `effects`: music and noises without speech.
 */
export const audioRoles = [
  'description',
  'commentary',
  'clear-speech',
  'effects',
  'karaoke',
  'dub',
  'original',
] as const;
export type AudioRole = (typeof audioRoles)[number];

/** Demuxers that seek to a key frame by their index. Others guess by position, and late: MPEG-TS landed a whole GOP behind. */
export const seeksByIndex = (formatName: string): boolean => /(^|,)(mov|mp4|matroska|webm)(,|$)/.test(formatName);

/** How far ahead of a wanted time a demuxer that guesses has to be sent. Longer than any GOP of a format without an index that is in use. */
export const preRollSeconds = 10;

/**
 * Whether the demuxer seeks to key frames by an index. Others estimate a byte position: MPEG-TS landed a whole GOP
 * late.
 */
export const seeksByIndex = (formatName: string): boolean => /(^|,)(mov|mp4|matroska|webm)(,|$)/.test(formatName);

/**
 * How far before a time to seek where the demuxer has no index. Longer than the GOPs that such formats have in
 * practice.
 */
export const preRollSeconds = 10;

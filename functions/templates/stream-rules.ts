import { eightBitOnlyCodecs, maxCrf, profiles, tenBitProfiles } from '../../shared/media/codecs.ts';
import type { VideoEntry } from './query-structure.ts';

/** A fault in a query and the path of the key to change. */
export type QueryIssue = { path: (string | number)[]; message: string };
type CodecSettings = Pick<VideoEntry, 'codec' | 'crf' | 'profile'>;

/** What holds between the keys of one video entry. Paths start at the entry. */
export const videoStreamIssues = (stream: VideoEntry): QueryIssue[] => [
  ...codecIssues(stream),
  ...rateIssues(stream),
  ...pixelFormatIssues(stream),
];

/** What an encoder accepts together, for a template's stream as for a single one. */
export function codecIssues({ codec, crf, profile }: CodecSettings): QueryIssue[] {
  const issues: QueryIssue[] = [];
  if (crf !== undefined && crf > maxCrf[codec]) {
    issues.push({ path: ['crf'], message: `Give a crf from 0 to ${maxCrf[codec]} for ${codec}.` });
  }
  if (profile !== undefined && !isProfileOf(codec, profile)) {
    issues.push({ path: ['profile'], message: `Choose a profile of ${codec}: ${profiles[codec].join(', ')}.` });
  }
  return issues;
}

const isProfileOf = (codec: VideoEntry['codec'], profile: string): boolean =>
  (profiles[codec] as readonly string[]).includes(profile);

function rateIssues({ bitrate, crf, two_pass: twoPass }: VideoEntry): QueryIssue[] {
  if (bitrate !== undefined) return [];
  if (twoPass) return [{ path: ['bitrate'], message: 'Give a bitrate: two_pass aims at one.' }];
  return crf === undefined ? [{ path: ['bitrate'], message: 'Give a bitrate, a crf, or both.' }] : [];
}

function pixelFormatIssues({ codec, profile, pixel_format: pixelFormat }: VideoEntry): QueryIssue[] {
  const isTenBit = pixelFormat === 'yuv420p10le';
  if (isTenBit && eightBitOnlyCodecs.includes(codec)) {
    return [
      { path: ['pixel_format'], message: `Choose yuv420p for ${codec}: players cannot decode its ten-bit form.` },
    ];
  }
  if (profile === undefined || codec === 'av1' || !isProfileOf(codec, profile)) return [];
  if (tenBitProfiles.includes(profile) === isTenBit) return [];
  return [
    {
      path: ['profile'],
      message: isTenBit
        ? `Choose ${profiles[codec].find((each) => tenBitProfiles.includes(each))} for yuv420p10le, or leave profile out.`
        : `Set pixel_format to yuv420p10le for ${profile}, or choose another profile.`,
    },
  ];
}

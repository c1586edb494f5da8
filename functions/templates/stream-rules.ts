import { pixelFormatsOf, profilesOf, videoCodecProperties } from '../../shared/media/codecs.ts';
import type { VideoEntry } from './query-structure.ts';

/** A fault in a query, at the path of the key to change. */
export type QueryIssue = { path: (string | number)[]; message: string };
type CodecSettings = Pick<
  VideoEntry,
  'codec' | 'crf' | 'profile' | 'bitrate' | 'max_bitrate' | 'buffer_size' | 'level'
> & {
  two_pass?: boolean | undefined;
};

/** The rules between the keys of one video entry. Paths start at the entry. */
export const videoStreamIssues = (stream: VideoEntry): QueryIssue[] => [
  ...codecIssues(stream),
  ...rateIssues(stream),
  ...pixelFormatIssues(stream),
];

/** Settings that the encoder of a codec does not accept. For streams of templates and for single streams. */
export function codecIssues({ codec, ...settings }: CodecSettings): QueryIssue[] {
  const { crf, profile } = settings;
  const { crf: limits, unsupported } = videoCodecProperties[codec];
  const issues: QueryIssue[] = unsupported
    .filter((key) => settings[key])
    .map((key) => ({ path: [key], message: `Leave ${key} out: it has no effect on ${codec}.` }));
  if (codec === 'av1' && settings.bitrate !== undefined && settings.max_bitrate !== undefined) {
    const message = 'Leave max_bitrate out: the bitrate of av1 is its maximum.';
    issues.push({ path: ['max_bitrate'], message });
  }
  if (crf !== undefined && crf > limits.max) {
    issues.push({ path: ['crf'], message: `Give a crf from 0 to ${limits.max} for ${codec}.` });
  }
  if (profile !== undefined && pixelFormatsOf(codec, profile).length === 0) {
    issues.push({ path: ['profile'], message: `Choose a profile of ${codec}: ${profilesOf(codec).join(', ')}.` });
  }
  return issues;
}

function rateIssues({ bitrate, crf, two_pass: twoPass }: VideoEntry): QueryIssue[] {
  if (bitrate !== undefined) return [];
  if (twoPass) return [{ path: ['bitrate'], message: 'Give a bitrate: two_pass aims at one.' }];
  return crf === undefined ? [{ path: ['bitrate'], message: 'Give a bitrate, a crf, or both.' }] : [];
}

function pixelFormatIssues({ codec, profile, pixel_format: pixelFormat }: VideoEntry): QueryIssue[] {
  const suitable = profilesOf(codec).filter((each) => pixelFormatsOf(codec, each).includes(pixelFormat));
  if (suitable.length === 0) {
    return [
      { path: ['pixel_format'], message: `Choose yuv420p for ${codec}: players cannot decode its ten-bit form.` },
    ];
  }
  if (profile === undefined || suitable.includes(profile)) return [];
  const [other] = pixelFormatsOf(codec, profile);
  // A profile of another codec is reported by codecIssues.
  if (other === undefined) return [];
  return [
    {
      path: ['profile'],
      message:
        pixelFormat === 'yuv420p'
          ? `Set pixel_format to ${other} for ${profile}, or choose another profile.`
          : `Choose ${suitable[0]} for ${pixelFormat}, or leave profile out.`,
    },
  ];
}

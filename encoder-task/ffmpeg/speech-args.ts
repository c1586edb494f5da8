import type { TranscribeSpec } from '../../shared/protocol/jobs.ts';
import { sampleRate } from '../speech/speech-windows.ts';

/** argv that decodes a part of a finished track to PCM, mono. Its first sample is the first one of the part. */
export const speechArgs = (
  { fromSeconds, toSeconds }: Pick<TranscribeSpec, 'fromSeconds' | 'toSeconds'>,
  input: string,
  output: string,
): string[] => {
  const filters = [
    `asetpts=PTS-(${fromSeconds.toFixed(6)})/TB`,
    `aresample=${sampleRate}:async=1:min_hard_comp=0.02:first_pts=0`,
    'aformat=channel_layouts=mono',
    `atrim=end=${(toSeconds - fromSeconds).toFixed(6)}`,
  ];
  return [
    ...['-protocol_whitelist', 'file', '-format_whitelist', 'mov', '-copyts', '-i', input],
    ...['-map', '0:a:0', '-af', filters.join(','), '-f', 's16le', '-c:a', 'pcm_s16le', output],
  ];
};

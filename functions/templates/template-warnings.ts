import { audioCodecProperties, audioCodecs, videoCodecProperties, videoCodecs } from '../../shared/media/codecs.ts';
import { usedEntries } from './output-rules.ts';
import type { OutputEntry, Picture, TemplateQuery } from './query-structure.ts';
import { templateQuerySchema } from './template-query.ts';

/**
 * What the user of a template may not expect, one sentence each. None for a stored query that is no longer valid, which
 * its runs report.
 */
export function templateWarnings(stored: unknown, { hasSpeechModel }: { hasSpeechModel: boolean }): string[] {
  const { data: query } = templateQuerySchema.safeParse(stored);
  if (!query) return [];
  return [
    ...copyWarnings(query),
    ...(hasSpeechModel ? [] : speechWarnings(query)),
    ...query.outputs.flatMap((output, index) => outputWarnings(query, output, index)),
  ];
}

const copyWarnings = ({ copy, picture }: TemplateQuery): string[] =>
  copy === 'auto' && picture && (picture.rotate !== 0 || picture.flip || hasCrop(picture))
    ? ['copy has no effect: a picture that is cropped, rotated or flipped has to be encoded.']
    : [];

const speechWarnings = ({ captions }: TemplateQuery): string[] =>
  captions === undefined || captions.generate === 'off'
    ? []
    : ['captions.generate has no effect: this service has no model of speech, which its operator can install.'];

const hasCrop = ({ crop }: Picture): boolean =>
  Object.values(crop ?? {}).some((side) => Number.parseFloat(String(side)) > 0);

function outputWarnings(query: TemplateQuery, output: OutputEntry, index: number): string[] {
  if (output.format !== 'hls') return [];
  const ladder = query.ladder && output.video === '*' ? [query.ladder.codec] : [];
  const video = [...usedEntries(query, index, 'video').map(({ entry }) => entry.codec), ...ladder];
  const audio = usedEntries(query, index, 'audio').map(({ entry }) => entry.codec);
  const name = `HLS output ${output.name === undefined ? index + 1 : `"${output.name}"`}`;
  return [
    ...hardToPlay(
      name,
      'video',
      [...new Set(video)].map((codec) => videoCodecProperties[codec]),
      playableVideo,
    ),
    ...hardToPlay(
      name,
      'audio',
      [...new Set(audio)].map((codec) => audioCodecProperties[codec]),
      playableAudio,
    ),
  ];
}

type CodecLabel = { label: string; isInEveryHlsPlayer: boolean };

const labels = (codecs: CodecLabel[], type: 'conjunction' | 'disjunction'): string =>
  new Intl.ListFormat('en', { type }).format(codecs.map(({ label }) => label));

const playable = (codecs: CodecLabel[]): string =>
  labels(
    codecs.filter((one) => one.isInEveryHlsPlayer),
    'disjunction',
  );
const playableVideo = playable(videoCodecs.map((codec) => videoCodecProperties[codec]));
const playableAudio = playable(audioCodecs.map((codec) => audioCodecProperties[codec]));

function hardToPlay(name: string, kind: 'video' | 'audio', codecs: CodecLabel[], others: string): string[] {
  if (codecs.length === 0 || codecs.some((one) => one.isInEveryHlsPlayer)) return [];
  const only = labels(codecs, 'conjunction');
  return [
    `The ${kind} of ${name} is ${only} only, which many Apple devices and older players do not play in HLS. ${others} reaches them.`,
  ];
}

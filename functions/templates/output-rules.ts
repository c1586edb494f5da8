import { defaults } from '../../shared/defaults.ts';
import { codecsIn, isCarriedBy } from '../../shared/media/codecs.ts';
import { isSegmented } from '../../shared/media/output-formats.ts';
import type { OutputEntry, TemplateQuery } from './query-structure.ts';
import type { QueryIssue } from './stream-rules.ts';

type OutputRule = (query: TemplateQuery, output: OutputEntry, index: number) => QueryIssue[];

/**
 * The rules between the keys of one output, and between the output and the streams that it uses. HLS in fragmented MP4
 * and DASH outputs that use the same streams share segments, so that needs no rule.
 */
export const outputIssues = (query: TemplateQuery): QueryIssue[] =>
  rules.flatMap((rule) => query.outputs.flatMap((output, index) => rule(query, output, index)));

const referencesResolve: OutputRule = (query, output, index) => {
  const unknown = (kind: 'video' | 'audio'): QueryIssue[] => {
    const names = output[kind];
    if (names === '*') return [];
    if (kind === 'video' && query.ladder) {
      return names.length === 0
        ? []
        : [
            {
              path: ['outputs', index, 'video'],
              message: 'Give "*" or []: the streams of a ladder have no names yet.',
            },
          ];
    }
    return names.flatMap((name, position) =>
      query[kind].some((stream) => stream.name === name)
        ? []
        : [{ path: ['outputs', index, kind, position], message: `Name a stream of ${kind}: there is no "${name}".` }],
    );
  };
  return [...unknown('video'), ...unknown('audio')];
};

/** The entries that an output uses, each with the path of its reference in the output. */
export function usedEntries<Kind extends 'video' | 'audio'>(query: TemplateQuery, index: number, kind: Kind) {
  const names = query.outputs[index]![kind];
  return query[kind].flatMap((entry: TemplateQuery[Kind][number]) => {
    const position = names === '*' ? -1 : names.indexOf(entry.name);
    if (names !== '*' && position < 0) return [];
    return [{ entry, path: ['outputs', index, kind, ...(names === '*' ? [] : [position])] }];
  });
}

const keysMatchFormat: OutputRule = (_, { format, container, segment_duration: segmentSeconds, faststart }, index) => {
  const issues: QueryIssue[] = [];
  const refuse = (key: string, message: string) => issues.push({ path: ['outputs', index, key], message });
  if (!isSegmented(format) && segmentSeconds !== undefined) {
    refuse('segment_duration', `Leave segment_duration out: an ${format} output is one file.`);
  }
  if (format === 'mp4' && container !== undefined) refuse('container', 'Leave container out: it is mp4 already.');
  if (format === 'dash' && container === 'ts')
    refuse('container', 'Choose fmp4, or leave container out of a dash output.');
  if (format !== 'mp4' && faststart !== undefined) refuse('faststart', 'Leave faststart out: it is for mp4 outputs.');
  return issues;
};

const hasStreams: OutputRule = (query, output, index) => {
  const ladderUsed = query.ladder !== undefined && output.video === '*';
  const named = [output.video, output.audio].some((names) => names !== '*' && names.length > 0);
  return ladderUsed ||
    named ||
    usedEntries(query, index, 'video').length + usedEntries(query, index, 'audio').length > 0
    ? []
    : [{ path: ['outputs', index], message: 'Give this output a video or an audio stream.' }];
};

const containerCarriesCodecs: OutputRule = (query, { container }, index) => {
  if (container === undefined) return [];
  const carried = new Intl.ListFormat('en').format(codecsIn(container));
  const message = (codec: string) => `Choose the container fmp4 for ${codec}: ${container} takes ${carried} only.`;
  const issues = [...usedEntries(query, index, 'video'), ...usedEntries(query, index, 'audio')]
    .filter(({ entry }) => !isCarriedBy(container, entry.codec))
    .map(({ entry, path }) => ({ path, message: message(entry.codec) }));
  if (query.ladder && query.outputs[index]!.video === '*' && !isCarriedBy(container, query.ladder.codec)) {
    issues.push({ path: ['outputs', index, 'container'], message: message(query.ladder.codec) });
  }
  return issues;
};

const mp4HasOneStreamOfEachKind: OutputRule = (query, { format }, index) => {
  if (isSegmented(format)) return [];
  return (['video', 'audio'] as const)
    .filter((kind) => usedEntries(query, index, kind).length > 1)
    .map((kind) => ({
      path: ['outputs', index, kind],
      message: `Name one ${kind} stream, such as ["${query[kind][0]!.name}"]: an mp4 output holds one.`,
    }));
};

const segmentsAreWholeGops: OutputRule = (query, output, index) => {
  if (!isSegmented(output.format)) return [];
  const segmentSeconds = output.segment_duration ?? defaults.segmentSeconds;
  const videos = usedEntries(query, index, 'video');
  const gops = videos.map(({ entry }) => entry.gop);
  if (query.ladder && output.video === '*') gops.push(query.ladder.gop);
  const [first] = gops;
  if (first === undefined) return [];
  const odd = gops.find((gop) => !isMultiple(segmentSeconds, gop));
  const uneven = videos.filter(({ entry }) => entry.gop !== first);
  return [
    ...(odd === undefined
      ? []
      : [
          {
            path: ['outputs', index, 'segment_duration'],
            message: `Give a whole multiple of the gop, ${odd} s: a segment starts with a key frame.`,
          },
        ]),
    ...uneven.map(({ path, entry }) => ({
      path,
      message: `Give "${entry.name}" the gop of the other streams, ${first} s: players switch between them at key frames.`,
    })),
  ];
};

const isMultiple = (whole: number, part: number): boolean => {
  const ratio = whole / part;
  return Math.round(ratio) >= 1 && Math.abs(ratio - Math.round(ratio)) < 1e-6;
};

const rules: OutputRule[] = [
  referencesResolve,
  keysMatchFormat,
  hasStreams,
  containerCarriesCodecs,
  mp4HasOneStreamOfEachKind,
  segmentsAreWholeGops,
];

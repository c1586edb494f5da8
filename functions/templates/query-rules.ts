import { defaults } from '../../shared/defaults.ts';
import { codecsIn, isCarriedBy } from '../../shared/media/codecs.ts';
import type { OutputEntry, TemplateQuery } from './query-structure.ts';
import { codecIssues, type QueryIssue, videoStreamIssues } from './stream-rules.ts';
import { templateLimits } from './template-limits.ts';

type Rule = (query: TemplateQuery) => QueryIssue[];

/**
 * What holds between the keys of a query whose structure is right; one issue for each fault, at the key to change.
 * HLS in fragmented MP4 and DASH outputs may name the same streams: they then share segments, so that needs no rule.
 */
export const queryIssues: Rule = (query) => rules.flatMap((rule) => rule(query));

const something: Rule = ({ video, audio, ladder }) =>
  ladder || video.length > 0 || audio.length > 0
    ? []
    : [{ path: ['video'], message: 'Add a video stream, an audio stream or a ladder.' }];

const ladderStandsAlone: Rule = ({ video, ladder }) =>
  ladder && video.length > 0
    ? [{ path: ['video'], message: 'Leave video out: the ladder makes the video streams.' }]
    : [];

const ladderFits: Rule = ({ ladder }) => {
  if (!ladder) return [];
  const issues = codecIssues({ codec: ladder.codec, profile: ladder.profile });
  if (ladder.min_height > ladder.max_height) {
    issues.push({ path: ['min_height'], message: `Give a min_height of at most max_height, ${ladder.max_height}.` });
  }
  return issues.map((issue) => ({ ...issue, path: ['ladder', ...issue.path] }));
};

const videoStreamsFit: Rule = ({ video }) =>
  video.flatMap((stream, index) =>
    videoStreamIssues(stream).map((issue) => ({
      ...issue,
      path: ['video', index, ...issue.path],
    })),
  );

const namesAreUnique: Rule = ({ video, audio, outputs }) => [
  ...repeats([
    ...video.map(({ name }, index) => ({ name, path: ['video', index, 'name'] })),
    ...audio.map(({ name }, index) => ({ name, path: ['audio', index, 'name'] })),
  ]),
  ...repeats(outputs.map(({ name }, index) => ({ name, path: ['outputs', index, 'name'] }))),
];

function repeats(entries: { name: string | undefined; path: (string | number)[] }[]): QueryIssue[] {
  const seen = new Set<string>();
  return entries.flatMap(({ name, path }) => {
    if (name === undefined) return [];
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [{ path, message: `Choose another name: "${name}" is taken.` }];
  });
}

const referencesResolve: Rule = (query) =>
  query.outputs.flatMap((output, index) => {
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
  });

/** Entries an output takes, with the path at which the output can be told to take others. */
function taken<Kind extends 'video' | 'audio'>(query: TemplateQuery, index: number, kind: Kind) {
  const names = query.outputs[index]![kind];
  return query[kind].flatMap((entry: TemplateQuery[Kind][number]) => {
    const position = names === '*' ? -1 : names.indexOf(entry.name);
    if (names !== '*' && position < 0) return [];
    return [{ entry, path: ['outputs', index, kind, ...(names === '*' ? [] : [position])] }];
  });
}

const eachOutput =
  (rule: (query: TemplateQuery, output: OutputEntry, index: number) => QueryIssue[]): Rule =>
  (query) =>
    query.outputs.flatMap((output, index) => rule(query, output, index));

const keysFitFormat = eachOutput((_, { format, container, segment_duration: segmentSeconds, faststart }, index) => {
  const issues: QueryIssue[] = [];
  const refuse = (key: string, message: string) => issues.push({ path: ['outputs', index, key], message });
  if (format === 'mp4' && segmentSeconds !== undefined) {
    refuse('segment_duration', 'Leave segment_duration out: an mp4 output is one file.');
  }
  if (format === 'mp4' && container !== undefined) refuse('container', 'Leave container out: it is mp4 already.');
  if (format === 'dash' && container === 'ts')
    refuse('container', 'Choose fmp4, or leave container out of a dash output.');
  if (format !== 'mp4' && faststart !== undefined) refuse('faststart', 'Leave faststart out: it is for mp4 outputs.');
  return issues;
});

const outputsHoldSomething = eachOutput((query, output, index) => {
  const ladderUsed = query.ladder !== undefined && output.video === '*';
  const named = [output.video, output.audio].some((names) => names !== '*' && names.length > 0);
  return ladderUsed || named || taken(query, index, 'video').length + taken(query, index, 'audio').length > 0
    ? []
    : [{ path: ['outputs', index], message: 'Give this output a video or an audio stream.' }];
});

const containersTakeCodecs = eachOutput((query, { container }, index) => {
  if (container === undefined) return [];
  const carried = new Intl.ListFormat('en').format(codecsIn(container));
  const message = (codec: string) => `Choose the container fmp4 for ${codec}: ${container} takes ${carried} only.`;
  const issues = [...taken(query, index, 'video'), ...taken(query, index, 'audio')]
    .filter(({ entry }) => !isCarriedBy(container, entry.codec))
    .map(({ entry, path }) => ({ path, message: message(entry.codec) }));
  if (query.ladder && query.outputs[index]!.video === '*' && !isCarriedBy(container, query.ladder.codec)) {
    issues.push({ path: ['outputs', index, 'container'], message: message(query.ladder.codec) });
  }
  return issues;
});

const mp4HoldsOneOfEach = eachOutput((query, { format }, index) => {
  if (format !== 'mp4') return [];
  return (['video', 'audio'] as const)
    .filter((kind) => taken(query, index, kind).length > 1)
    .map((kind) => ({
      path: ['outputs', index, kind],
      message: `Name one ${kind} stream, such as ["${query[kind][0]!.name}"]: an mp4 output holds one.`,
    }));
});

const segmentsAreWholeGops = eachOutput((query, output, index) => {
  if (output.format === 'mp4') return [];
  const segmentSeconds = output.segment_duration ?? defaults.segmentSeconds;
  const videos = taken(query, index, 'video');
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
});

const isMultiple = (whole: number, part: number): boolean => {
  const ratio = whole / part;
  return Math.round(ratio) >= 1 && Math.abs(ratio - Math.round(ratio)) < 1e-6;
};

const streamsAreUsed: Rule = (query) => {
  const used = (kind: 'video' | 'audio', name: string) =>
    query.outputs.some(({ [kind]: names }) => names === '*' || names.includes(name));
  const unused = (['video', 'audio'] as const).flatMap((kind) =>
    query[kind].flatMap(({ name }, index) =>
      used(kind, name)
        ? []
        : [{ path: [kind, index], message: `Remove "${name}" or name it in an output: unused stream.` }],
    ),
  );
  return query.ladder && query.outputs.every(({ video }) => video !== '*')
    ? [...unused, { path: ['ladder'], message: 'Remove the ladder or give an output the video "*": unused stream.' }]
    : unused;
};

const staysSmall: Rule = (query) =>
  new TextEncoder().encode(JSON.stringify(query)).length > templateLimits.maxQueryBytes
    ? [{ path: [], message: 'Make the query smaller: at most 64 KiB of JSON.' }]
    : [];

const rules: Rule[] = [
  something,
  ladderStandsAlone,
  ladderFits,
  videoStreamsFit,
  namesAreUnique,
  referencesResolve,
  keysFitFormat,
  outputsHoldSomething,
  containersTakeCodecs,
  mp4HoldsOneOfEach,
  segmentsAreWholeGops,
  streamsAreUsed,
  staysSmall,
];

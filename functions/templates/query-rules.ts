import { outputIssues } from './output-rules.ts';
import { type Delivery, joinedTracks, type Picture, type TemplateQuery, type Tracks } from './query-structure.ts';
import { codecIssues, type QueryIssue, videoStreamIssues } from './stream-rules.ts';
import { templateLimits } from './template-limits.ts';

type Rule = (query: TemplateQuery) => QueryIssue[];

/**
 * Checks the rules between the keys of a query with a valid structure. Returns one issue for each fault, at the key to
 * change.
 */
export const queryIssues: Rule = (query) => rules.flatMap((rule) => rule(query));

const hasStreams: Rule = ({ video, audio, ladder }) =>
  ladder || video.length > 0 || audio.length > 0
    ? []
    : [{ path: ['video'], message: 'Add a video stream, an audio stream or a ladder.' }];

const ladderExcludesVideo: Rule = ({ video, ladder }) =>
  ladder && video.length > 0
    ? [{ path: ['video'], message: 'Leave video out: the ladder makes the video streams.' }]
    : [];

const ladderIsValid: Rule = ({ ladder }) => {
  if (!ladder) return [];
  const issues = codecIssues({ codec: ladder.codec, profile: ladder.profile });
  if (ladder.min_height > ladder.max_height) {
    issues.push({ path: ['min_height'], message: `Give a min_height of at most max_height, ${ladder.max_height}.` });
  }
  return issues.map((issue) => ({ ...issue, path: ['ladder', ...issue.path] }));
};

const videoStreamsAreValid: Rule = ({ video }) =>
  video.flatMap((stream, index) =>
    videoStreamIssues(stream).map((issue) => ({
      ...issue,
      path: ['video', index, ...issue.path],
    })),
  );

const namesAreUnique: Rule = ({ video, audio, outputs }) => [
  ...duplicateNames([
    ...video.map(({ name }, index) => ({ name, path: ['video', index, 'name'] })),
    ...audio.map(({ name }, index) => ({ name, path: ['audio', index, 'name'] })),
  ]),
  ...duplicateNames(outputs.map(({ name }, index) => ({ name, path: ['outputs', index, 'name'] }))),
];

function duplicateNames(entries: { name: string | undefined; path: (string | number)[] }[]): QueryIssue[] {
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

const imagesHaveTimes: Rule = ({ thumbnails }) => {
  const { images } = thumbnails ?? {};
  if (!images || (images.count === undefined) !== (images.interval === undefined)) return [];
  return [{ path: ['thumbnails', 'images'], message: 'Give either a count or an interval.' }];
};

const watermarkHasATime: Rule = ({ watermark: { from_seconds: from = 0, to_seconds: to } = {} }) =>
  to === undefined || to > from
    ? []
    : [{ path: ['watermark', 'to_seconds'], message: `Give more than from_seconds, ${from}.` }];

const leavesAPicture: Rule = ({ picture }) =>
  cropIssues(picture).map(({ path, message }) => ({ path: ['picture', ...path], message }));

/** Crops of both opposite sides in per cent that leave nothing. Others depend on the size of the source. */
export const cropIssues = (picture: Picture | undefined): QueryIssue[] =>
  (
    [
      ['left', 'right'],
      ['top', 'bottom'],
    ] as const
  ).flatMap((sides) => {
    const shares = sides.map((side) => percentOf(picture?.crop?.[side]));
    if (shares[0]! + shares[1]! < 100) return [];
    const message = `Give ${sides.join(' and ')} of less than 100% together: nothing is left of the picture.`;
    return [{ path: ['crop', sides[1]], message }];
  });

const tracksFit: Rule = ({ tracks }) =>
  trackIssues(tracks).map(({ path, message }) => ({ path: ['tracks', ...path], message }));

/** Numbers of tracks that do not make what is asked for. Whether a file has them is known when it is probed. */
export const trackIssues = (tracks: Tracks | undefined): QueryIssue[] => {
  const { audio = 'auto' } = tracks ?? {};
  if (audio === 'auto') return [];
  return audio.flatMap(({ from, as }, index) => {
    const several = joinedTracks[as];
    if (from.length === 1 || from.length === several) return [];
    return [{ path: ['audio', index, 'from'], message: `Name 1 or ${several} tracks for ${as}.` }];
  });
};

const deliveriesAreValid: Rule = ({ deliver = [], outputs, retention }) => {
  const names = new Set(outputs.flatMap(({ name }) => name ?? []));
  const seen = new Set<string>();
  return deliver.flatMap((delivery, index) => {
    const issues = deliveryIssues(delivery);
    if (delivery.outputs !== '*') {
      for (const [position, name] of delivery.outputs.entries()) {
        if (names.has(name)) continue;
        const message = `Name an output of this template: no output has the name "${name}".`;
        issues.push({ path: ['outputs', position], message });
      }
    }
    if (delivery.also.includes('original') && retention?.source === 'delete') {
      const message = 'Leave "original" out, or keep the source for days: it is deleted before it can be copied.';
      issues.push({ path: ['also'], message });
    }
    const target = `${delivery.storage} ${delivery.path}`;
    if (seen.has(target)) issues.push({ path: ['path'], message: 'Choose another path: two copies have this one.' });
    seen.add(target);
    return issues.map(({ path, message }) => ({ path: ['deliver', index, ...path], message }));
  });
};

/** What does not fit together in one delivery. */
export const deliveryIssues = ({ outputs, also }: Pick<Delivery, 'outputs' | 'also'>): QueryIssue[] =>
  outputs.length === 0 && also.length === 0
    ? [{ path: ['outputs'], message: 'Name outputs, or what else is copied.' }]
    : [];

const percentOf = (side: string | number | undefined): number =>
  typeof side === 'string' ? Number.parseFloat(side) : 0;

const isWithinSizeLimit: Rule = (query) =>
  new TextEncoder().encode(JSON.stringify(query)).length > templateLimits.maxQueryBytes
    ? [{ path: [], message: 'Make the query smaller: at most 64 KiB of JSON.' }]
    : [];

const rules: Rule[] = [
  hasStreams,
  ladderExcludesVideo,
  ladderIsValid,
  videoStreamsAreValid,
  namesAreUnique,
  outputIssues,
  streamsAreUsed,
  imagesHaveTimes,
  watermarkHasATime,
  leavesAPicture,
  tracksFit,
  deliveriesAreValid,
  isWithinSizeLimit,
];

import type { components } from '../../client/api-types.ts';
import { reasonOf } from '../../client/failure-reasons.ts';
import { splitReason } from '../../client/texts/describe-codes.ts';
import { isSegmented } from '../../shared/media/output-formats.ts';

export type Video = components['schemas']['Video'];
export type Output = components['schemas']['Output'];
export type Stream = components['schemas']['Stream'];

/** Whether viewers can play the video, be it while it is encoded. */
export const plays = ({ playable_at }: Pick<Video, 'playable_at'>): boolean => playable_at !== null;

/**
 * Changes when an output plays that did not before, when one that plays is completed with all its rungs, and when
 * another one takes its place.
 */
export const sourceChanges = (outputs: Output[]): string =>
  outputs
    .filter(plays)
    .map(({ ulid, completed_at }) => `${ulid} ${completed_at}`)
    .join();

const workingSeconds = 2;
const restingSeconds = 15;

export const isWorking = ({ status }: Pick<Video, 'status'>): boolean => status !== 'completed' && status !== 'failed';

/** An edit of a stream, or another poster, is made although the video is completed. */
const isEdited = ({ streams }: Pick<Video, 'streams'>): boolean =>
  streams.some(({ status }) => status === 'pending' || status === 'running');

export const pollSeconds = (video: Video): number =>
  isWorking(video) || isEdited(video) ? workingSeconds : restingSeconds;

/** Whose change lets a failed video succeed: of the file, the quota, the template, or of nothing of theirs. */
type FailureCause = 'file' | 'quota' | 'template' | 'service';

/** @param reason of a video, output or stream: `CODE: sentence`, or a sentence alone */
export function failureOf(reason: string): ReturnType<typeof splitReason> & { cause: FailureCause } {
  const parts = splitReason(reason);
  return { ...parts, cause: causeOf(parts.code ?? '') };
}

function causeOf(code: string): FailureCause {
  if (code.startsWith('INPUT_')) return 'file';
  if (code === 'QUOTA_EXCEEDED') return 'quota';
  return code === 'OUTPUT_NO_STREAMS' ? 'template' : 'service';
}

/** Processing a file again that cannot be used fails again. */
export const canProcessAgain = (video: Pick<Video, 'status' | 'streams' | 'outputs'>): boolean =>
  !isWorking(video) && !(video.status === 'failed' && failureOf(reasonOf(video)).cause === 'file');

type Sources = components['schemas']['Sources'];
type LinkKind = Sources['sources'][number]['format'] | 'poster' | 'storyboard';
type Link = { kind: LinkKind; url: string; isFile: boolean; name?: string };

/** The links of a video: to its outputs, with their names where two have the same format, and to its pictures. */
export function linksOf({ sources, poster_url, storyboard_url }: Sources): Link[] {
  const isShared = (format: string): boolean => sources.filter((source) => source.format === format).length > 1;
  const pictures = [
    { kind: 'poster', url: poster_url },
    { kind: 'storyboard', url: storyboard_url },
  ] as const;
  return [
    ...sources.map(({ format, name, url }) => ({
      kind: format,
      url,
      isFile: !isSegmented(format),
      ...(isShared(format) && { name }),
    })),
    ...pictures.flatMap(({ kind, url }) => (url === null ? [] : [{ kind, url, isFile: false }])),
  ];
}

type Decision = components['schemas']['Decision'];
/** `isOfService`: a sentence of the service, in English, because it has no code. */
export type Note = { sentence: string; isOfService: boolean };

/** Warnings, and the decisions that are no warning too: a possible mistake of the uploader is in both lists. */
export function notesOf(
  { meta: { warnings = [], decisions = [] } }: Pick<Stream, 'meta'>,
  textOf: (decision: Decision) => string,
): { warnings: Note[]; decisions: Note[] } {
  const byMessage = new Map(decisions.map((decision) => [decision.message, decision]));
  const worded = (decision: Decision): Note => ({ sentence: textOf(decision), isOfService: false });
  return {
    warnings: warnings.map((warning) => {
      const decision = byMessage.get(warning);
      return decision === undefined ? { sentence: warning, isOfService: true } : worded(decision);
    }),
    decisions: decisions.filter(({ message }) => !warnings.includes(message)).map(worded),
  };
}

import { reasonText } from '../../texts/describe-codes.ts';
import type { CliRun } from '../cli-run.ts';
import { explainError } from '../explain-error.ts';
import { printable, table } from '../output/text.ts';
import type { Followed, PlayableSource } from '../service/follow-video.ts';

/** What a result is about: a file, a URL, or only a video. `label` names it in lines. */
export type Subject = { label: string; fields: { file?: string; url?: string } };

/** The results of uploads, ingests and videos: one JSON object per line, or lines to read. */
export const createVideoReport = ({
  reporter: { result, warn },
  words,
  settings: { url },
}: Pick<CliRun, 'reporter' | 'words'> & { settings: { url: string } }) => ({
  accepted({ label, fields }: Subject, ulid: string): void {
    result({ type: 'accepted', ...fields, ulid }, [`${printable(label)}: ${words.accepted(ulid)}`]);
  },
  uploaded({ label, fields }: Subject, ulid: string, isEarlier: boolean): void {
    const text = isEarlier ? words.uploadedEarlier(ulid) : words.uploaded(ulid);
    result({ type: 'uploaded', ...fields, ulid }, [`${printable(label)}: ${text}`]);
  },
  playable({ label, fields }: Subject, ulid: string, sources: PlayableSource[]): void {
    const running = sources.filter(({ status }) => status === 'running');
    const lines = running.map(({ url }) => `${printable(label)}: ${words.playsNow}: ${printable(url)}`);
    result({ type: 'playable', ...fields, ulid, sources }, lines);
  },
  /** @returns whether the video is completed */
  ended({ label, fields }: Subject, ulid: string, followed: Followed): boolean {
    if (followed.status === 'failed') {
      const why = reasonText(words.codes, followed.reason);
      this.failed({ label, fields }, ulid, { error: followed.reason, why });
      return false;
    }
    const { sources, poster_url, failedOutputs, sourcesError } = followed;
    const record = { type: 'completed', ...fields, ulid, sources, poster_url, failed_outputs: failedOutputs };
    result(record, [`${printable(label)}: ${words.ready(ulid)}`, ...sourceLines(sources)]);
    for (const { name, reason } of failedOutputs) {
      const why = printable(reasonText(words.codes, reason));
      warn(words.outputFailed(printable(label), printable(name), why));
    }
    if (sourcesError !== undefined) warn(`${printable(label)}: ${words.noUrls(printable(sourcesError))}`);
    return true;
  },
  /** An error of a call. */
  refused(subject: Subject, ulid: string | null, error: unknown): void {
    const why = explainError(error, url, words).message;
    this.failed(subject, ulid, { error: explainError(error, url).message, why });
  },
  /** `error` is for programs, `why` for people. */
  failed({ label, fields }: Subject, ulid: string | null, { error, why }: { error: string; why: string }): void {
    result({ type: 'failed', ...fields, ulid, error }, []);
    warn(words.failed(printable(label), printable(why)));
  },
});

export type VideoReport = ReturnType<typeof createVideoReport>;

/** Indented rows of name and address. */
export const sourceLines = (sources: readonly PlayableSource[]): string[] =>
  table(sources.map(({ name, url }) => [`  ${printable(name)}`, printable(url)]));

import type { FailedOutput } from '../../failure-reasons.ts';
import type { Followed, PlayableSource } from '../service/follow-video.ts';
import type { Reporter } from './reporter.ts';
import { printable, table } from './text.ts';

/** What a result is about: a file, a URL, or only a video. `label` names it in lines. */
export type Subject = { label: string; fields: { file?: string; url?: string } };

/** The results of uploads, ingests and videos: one JSON object per line, or lines to read. */
export const createVideoReport = ({ result, warn }: Pick<Reporter, 'result' | 'warn'>) => ({
  accepted({ label, fields }: Subject, ulid: string): void {
    result({ type: 'accepted', ...fields, ulid }, [`${printable(label)}: fetched by the service as ${ulid}`]);
  },
  uploaded({ label, fields }: Subject, ulid: string, isEarlier: boolean): void {
    const text = isEarlier ? 'already uploaded by an earlier command as' : 'uploaded as';
    result({ type: 'uploaded', ...fields, ulid }, [`${printable(label)}: ${text} ${ulid}`]);
  },
  playable({ label, fields }: Subject, ulid: string, sources: PlayableSource[]): void {
    const running = sources.filter(({ status }) => status === 'running');
    const lines = running.map(({ url }) => `${printable(label)}: plays now: ${printable(url)}`);
    result({ type: 'playable', ...fields, ulid, sources }, lines);
  },
  /** @returns whether the video is completed */
  ended({ label, fields }: Subject, ulid: string, followed: Followed): boolean {
    if (followed.status === 'failed') {
      this.failed({ label, fields }, ulid, followed.reason);
      return false;
    }
    const { sources, poster_url, failedOutputs, sourcesError } = followed;
    const record = { type: 'completed', ...fields, ulid, sources, poster_url, failed_outputs: failedOutputs };
    result(record, [`${printable(label)}: completed (${ulid})`, ...sourceLines(sources)]);
    for (const failed of failedOutputs) warn(failedLine(label, failed));
    if (sourcesError !== undefined) warn(`${printable(label)}: no playback URLs yet: ${printable(sourcesError)}`);
    return true;
  },
  failed({ label, fields }: Subject, ulid: string | null, message: string): void {
    const line = `${printable(label)} failed: ${printable(message)}`;
    result({ type: 'failed', ...fields, ulid, error: message }, []);
    warn(line);
  },
});

export type VideoReport = ReturnType<typeof createVideoReport>;

const failedLine = (label: string, { name, reason }: FailedOutput): string =>
  `${printable(label)}: the output ${printable(name)} failed: ${printable(reason)}`;

/** Indented rows of name and address. */
export const sourceLines = (sources: readonly PlayableSource[]): string[] =>
  table(sources.map(({ name, url }) => [`  ${printable(name)}`, printable(url)]));

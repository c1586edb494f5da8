import { jobErrorCodes } from '../../shared/protocol/job-errors.ts';
import type { Item } from '../../test/journey/support/account.ts';
import { type JobItem, jobsIn, reasonsIn, videosIn } from '../faults/checks/table-records.ts';
import type { OddFile } from './odd-file.ts';

/** An uploaded file. `file` is null for a good file; `refused` is the error of the API instead of a video. */
export type Sent = { ulid: string | null; file: OddFile | null; refused: string | null };

export type Ended = Sent & {
  /** `completed`, an error code, or another status of the video */
  end: string;
  reason: string;
  /** attempts of the job with the most attempts */
  attempts: number;
  /** duration of the longest job, with all its attempts */
  longestSeconds: number;
};

/** The end of each file, from the records of the table. */
export function endsOf(sent: readonly Sent[], items: readonly Item[]): Ended[] {
  const videos = new Map(videosIn(items).map((video) => [video.ulid, video]));
  const jobs = Map.groupBy(jobsIn(items), ({ videoUlid }) => videoUlid);
  return sent.map((one) => {
    if (one.ulid === null) return { ...one, end: 'refused', reason: one.refused ?? '', attempts: 0, longestSeconds: 0 };
    const status = videos.get(one.ulid)?.status ?? 'no video';
    const own = jobs.get(one.ulid) ?? [];
    const reasons = reasonsIn(items, one.ulid);
    const reason = status === 'failed' ? (reasons[0] ?? '') : '';
    return {
      ...one,
      end: status === 'failed' ? (/^([A-Z_]+): /.exec(reason)?.[1] ?? 'no code') : status,
      reason,
      attempts: Math.max(0, ...own.map(({ attempt }) => attempt)),
      longestSeconds: Math.max(0, ...own.map(secondsOf)),
    };
  });
}

/** The record of a failed job has no start time, so its time in the queue is included. */
const secondsOf = ({ queuedAt, endedAt, tookSeconds }: JobItem): number => {
  if (tookSeconds !== undefined) return Number(tookSeconds);
  return endedAt === undefined ? 0 : (Date.parse(String(endedAt)) - Date.parse(String(queuedAt))) / 1000;
};

const isInputFault = (code: string): boolean =>
  code.startsWith('INPUT_') && jobErrorCodes.some((known) => known === code);
/** Starts with a capital letter, ends with a full stop, and contains no path, address or internal name. */
const isSentence = /^[A-Z_]+: [A-Z][^\n]{10,}\.$/;
const internals = /https?:|127\.0\.0\.1|\/tmp\/|\.ts:|undefined|NaN|\[object/;

/** Unexpected ends of files, one sentence each. */
export function wrongEnds(ended: readonly Ended[]): string[] {
  return ended.flatMap((one) => {
    const name = one.file
      ? `odd file ${one.file.position} (${one.file.kind}, ${one.file.how})`
      : `good file ${one.ulid}`;
    if (one.file === null && one.end !== 'completed') return [`${name} is ${one.end}: ${one.reason}`];
    const found: string[] = [];
    if (one.end !== 'completed' && one.end !== 'refused' && !isInputFault(one.end))
      found.push(`${name} ended with ${one.end}: ${one.reason}`);
    if (isInputFault(one.end) && (!isSentence.test(one.reason) || internals.test(one.reason)))
      found.push(`${name} has no clear sentence: ${one.reason}`);
    if (one.attempts > 1) found.push(`${name} took ${one.attempts} attempts, ${one.end}: ${one.reason}`);
    return found;
  });
}

/** One line per kind of end, the most frequent first. */
export function table(ended: readonly Ended[]): string[] {
  const groups = [...Map.groupBy(ended, ({ end }) => end)].sort(([, a], [, b]) => b.length - a.length);
  const lines = groups.map(([end, members]) => {
    const attempts = Math.max(...members.map((one) => one.attempts));
    const seconds = Math.max(...members.map((one) => one.longestSeconds));
    const kinds = [...new Set(members.map(({ file }) => file?.kind.split(':')[0] ?? 'good'))].join(', ');
    const cells = [end.padEnd(18), String(members.length).padStart(6), String(attempts).padStart(9)];
    return `${cells.join('')}${seconds.toFixed(1).padStart(11)} s  ${kinds}`;
  });
  return [`${'end'.padEnd(18)} files attempts  longest job  kinds`, ...lines];
}

import type { CliRun } from '../cli-run.ts';
import { uploadNote } from '../output/progress-rows.ts';
import { followVideo } from '../service/follow-video.ts';
import type { LocalFile } from '../uploads/local-file.ts';
import { uploadResumably } from '../uploads/upload-resumably.ts';
import type { UploadIdentity, UploadStates } from '../uploads/upload-state.ts';
import { createVideoReport, type Subject } from './video-report.ts';

export const subjectOf = ({ name }: Pick<LocalFile, 'name'>): Subject => ({ label: name, fields: { file: name } });

type ReportingRun = Pick<CliRun, 'client' | 'reporter' | 'words' | 'settings'>;

export type FileUpload = {
  file: LocalFile;
  identity: UploadIdentity;
  states: UploadStates;
  parallelParts: number;
  restart: boolean;
  signal: AbortSignal;
};

/** Uploads a file with a bar, and reports it. @returns the ULID of its video */
export async function uploadAndReport(
  cliRun: ReportingRun,
  { file, identity, states, ...options }: FileUpload,
): Promise<string> {
  const { client, reporter } = cliRun;
  const startedMs = performance.now();
  let firstBytes: number | undefined;
  const { ulid, isEarlier } = await uploadResumably({ client, states }, file, identity, {
    ...options,
    note: reporter.note,
    onProgress: ({ sentBytes, totalBytes }) => {
      if (firstBytes === undefined && sentBytes > 0) {
        reporter.note(`${file.name}: continues at ${Math.floor((100 * sentBytes) / totalBytes)}%`);
      }
      firstBytes ??= sentBytes;
      const progress = { sentBytes: sentBytes - firstBytes, leftBytes: totalBytes - sentBytes };
      const note = uploadNote({ ...progress, tookMs: performance.now() - startedMs });
      reporter.bars.set(file.path, { label: file.name, share: sentBytes / totalBytes, note });
    },
  }).finally(() => reporter.bars.remove(file.path));
  createVideoReport(cliRun).uploaded(subjectOf(file), ulid, isEarlier);
  return ulid;
}

/** Waits for a video with a bar, and reports when it plays and how it ends. @returns whether it is completed */
export async function followAndReport(
  cliRun: ReportingRun & Pick<CliRun, 'signal'>,
  subject: Subject,
  ulid: string,
): Promise<boolean> {
  const { client, reporter, signal, words } = cliRun;
  const report = createVideoReport(cliRun);
  const followed = await followVideo(client, ulid, {
    signal,
    onPlayable: (sources) => report.playable(subject, ulid, sources),
    onProgress: ({ share, status }) =>
      reporter.bars.set(ulid, { label: subject.label, share, note: words.codes.statuses[status] }),
  }).finally(() => reporter.bars.remove(ulid));
  return report.ended(subject, ulid, followed);
}

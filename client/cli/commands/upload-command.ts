import { join } from 'node:path';
import { stateFolder } from '../arguments/load-settings.ts';
import { integerOption, textOption } from '../arguments/read-options.ts';
import { exitCode, Interrupted } from '../exit-code.ts';
import { endsCommand, explainError } from '../explain-error.ts';
import { uploadNote } from '../output/progress-rows.ts';
import { createVideoReport, type Subject } from '../output/video-report.ts';
import { findTemplate } from '../service/find-template.ts';
import { followVideo } from '../service/follow-video.ts';
import type { Session } from '../session.ts';
import { type LocalFile, readFiles } from '../uploads/local-file.ts';
import { runParallel } from '../uploads/run-parallel.ts';
import { uploadResumably } from '../uploads/upload-resumably.ts';
import { createUploadStates, type UploadIdentity } from '../uploads/upload-state.ts';

/** `upload FILE…`. @returns the exit code */
export async function uploadCommand(session: Session): Promise<number> {
  const { operands, options, settings, client, reporter, signal } = session;
  const limits = { min: 1, max: 32 };
  const parallelParts = integerOption(options, 'parallel-parts', { ...limits, otherwise: 4 });
  const parallelFiles = integerOption(options, 'parallel-files', { ...limits, otherwise: 2 });
  const external = externalIds(options);
  const files = await readFiles(operands);
  const template = await findTemplate(client.api, textOption(options, 'template') ?? settings.template);
  const states = createUploadStates(join(stateFolder(session.environment), 'uploads'));
  states.removeOld(Date.now());
  const report = createVideoReport(reporter);
  const identityOf = ({ path }: LocalFile): UploadIdentity => ({
    url: settings.url,
    path,
    template: template.ulid,
    ...external,
  });
  const subjectOf = ({ name }: LocalFile): Subject => ({ label: name, fields: { file: name } });

  const upload = async (file: LocalFile): Promise<string> => {
    const startedMs = performance.now();
    let firstBytes: number | undefined;
    const uploaded = await uploadResumably({ client, states }, file, identityOf(file), {
      parallelParts,
      restart: options.restart === true,
      signal,
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
    report.uploaded(subjectOf(file), uploaded.ulid, uploaded.isEarlier);
    return uploaded.ulid;
  };
  const follow = async (file: LocalFile, ulid: string): Promise<boolean> => {
    const followed = await followVideo(client, ulid, {
      signal,
      onPlayable: (sources) => report.playable(subjectOf(file), ulid, sources),
      onProgress: ({ share, status }) => reporter.bars.set(ulid, { label: file.name, share, note: status }),
    }).finally(() => reporter.bars.remove(ulid));
    return report.ended(subjectOf(file), ulid, followed);
  };

  const following: Promise<boolean>[] = [];
  let uploadedFiles = 0;
  try {
    await runParallel(files, parallelFiles, async (file) => {
      try {
        const ulid = await upload(file);
        uploadedFiles += 1;
        if (!options.wait) return;
        const followed = follow(file, ulid).catch(failedUnlessFatal(subjectOf(file), ulid));
        // It is awaited when all files are uploaded, and may be rejected before that.
        followed.catch(() => {});
        following.push(followed);
      } catch (error) {
        await failedUnlessFatal(subjectOf(file), null)(error);
      }
    });
    // Until then, a repeated command must know which files were uploaded.
    const results = await Promise.all(following);
    const isEachUploaded = uploadedFiles === files.length;
    if (isEachUploaded) for (const file of files) states.remove(identityOf(file));
    return isEachUploaded && results.every(Boolean) ? exitCode.ok : exitCode.failed;
  } catch (error) {
    await Promise.allSettled(following);
    if (error instanceof Interrupted) reporter.note(adviceAfter(uploadedFiles === files.length));
    throw error;
  }

  function failedUnlessFatal(subject: Subject, ulid: string | null) {
    return async (error: unknown): Promise<false> => {
      if (endsCommand(error)) throw error;
      report.failed(subject, ulid, explainError(error, settings.url).message);
      return false;
    };
  }
}

const adviceAfter = (isEachUploaded: boolean): string =>
  isEachUploaded
    ? 'The files are uploaded; their videos are processed without this command. Repeat it to wait again.'
    : 'What was uploaded is kept for 7 days. Repeat the command to continue.';

/** The options --external-user-id and --external-resource-id. */
export function externalIds(options: Session['options']): { externalUserId?: string; externalResourceId?: string } {
  const externalUserId = textOption(options, 'external-user-id');
  const externalResourceId = textOption(options, 'external-resource-id');
  return {
    ...(externalUserId !== undefined && { externalUserId }),
    ...(externalResourceId !== undefined && { externalResourceId }),
  };
}

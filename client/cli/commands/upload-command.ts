import { join } from 'node:path';
import { stateFolder } from '../arguments/load-settings.ts';
import { clipOption, describedBy, integerOption, parallelLimits, textOption } from '../arguments/read-options.ts';
import type { CliRun } from '../cli-run.ts';
import { exitCode, Interrupted } from '../exit-code.ts';
import { endsCommand } from '../explain-error.ts';
import { runParallel } from '../run-parallel.ts';
import { findTemplate } from '../service/find-template.ts';
import { type LocalFile, readFiles } from '../uploads/local-file.ts';
import { createUploadStates, type UploadIdentity } from '../uploads/upload-state.ts';
import { followAndReport, subjectOf, uploadAndReport } from './report-progress.ts';
import { createVideoReport, type Subject } from './video-report.ts';

/** `upload FILE…`. @returns the exit code */
export async function uploadCommand(cliRun: CliRun): Promise<number> {
  const { operands, options, settings, client, reporter, signal } = cliRun;
  const parallelParts = integerOption(options, 'parallel-parts', { ...parallelLimits, otherwise: 4 });
  const parallelFiles = integerOption(options, 'parallel-files', { ...parallelLimits, otherwise: 2 });
  const clip = clipOption(options);
  const description = { ...describedBy(options), ...(clip && { clip }) };
  const files = await readFiles(operands);
  const template = await findTemplate(client.api, textOption(options, 'template') ?? settings.template);
  const states = createUploadStates(join(stateFolder(cliRun.environment), 'uploads'));
  states.removeOld(Date.now());
  const identityOf = ({ path }: LocalFile): UploadIdentity => ({
    url: settings.url,
    path,
    template: template.ulid,
    ...description,
  });
  const restart = options.restart === true;

  const stop = new AbortController();
  const followRun = { ...cliRun, signal: AbortSignal.any([signal, stop.signal]) };
  const following: Promise<boolean>[] = [];
  let uploadedFiles = 0;
  const upload = async (file: LocalFile): Promise<void> => {
    const ulid = await uploadAndReport(cliRun, {
      file,
      identity: identityOf(file),
      states,
      parallelParts,
      restart,
      signal,
    });
    uploadedFiles += 1;
    if (!options.wait) return;
    const subject = subjectOf(file);
    const followed = followAndReport(followRun, subject, ulid).catch(failedUnlessFatal(subject, ulid));
    // It is awaited when all files are uploaded, and may be rejected before that.
    followed.catch(() => {});
    following.push(followed);
  };
  const failedUnlessFatal =
    (subject: Subject, ulid: string | null) =>
    (error: unknown): false => {
      if (endsCommand(error)) throw error;
      createVideoReport(cliRun).refused(subject, ulid, error);
      return false;
    };

  try {
    await runParallel(files, { limit: parallelFiles, signal }, async (file) => {
      await upload(file).catch(failedUnlessFatal(subjectOf(file), null));
    });
    const results = await Promise.all(following);
    const isEachUploaded = uploadedFiles === files.length;
    // Until then, a repeated command must know which files were uploaded.
    if (isEachUploaded) for (const file of files) states.remove(identityOf(file));
    return isEachUploaded && results.every(Boolean) ? exitCode.ok : exitCode.failed;
  } catch (error) {
    // The videos go on at the service.
    stop.abort(error);
    await Promise.allSettled(following);
    if (error instanceof Interrupted) reporter.note(adviceAfter(uploadedFiles === files.length));
    throw error;
  }
}

const adviceAfter = (isEachUploaded: boolean): string =>
  isEachUploaded
    ? 'The files are uploaded; their videos are processed without this command. Repeat it to wait again.'
    : 'What was uploaded is kept for 7 days. Repeat the command to continue.';

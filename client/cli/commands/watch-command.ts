import { realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { stateFolder } from '../arguments/load-settings.ts';
import { describedBy, integerOption, listOption, parallelLimits, textOption } from '../arguments/read-options.ts';
import type { CliRun } from '../cli-run.ts';
import { exitCode, usageError } from '../exit-code.ts';
import { findTemplate } from '../service/find-template.ts';
import type { LocalFile } from '../uploads/local-file.ts';
import { createUploadStates, type UploadIdentity } from '../uploads/upload-state.ts';
import { readExtensions } from '../watch/candidate-names.ts';
import type { Disposal } from '../watch/dispose-file.ts';
import { holdLock } from '../watch/hold-lock.ts';
import { type WatchWork, watchFolder } from '../watch/watch-folder.ts';
import { followAndReport, subjectOf, uploadAndReport } from './report-progress.ts';

const pollMs = 1000;

/** `watch FOLDER`. @returns the exit code */
export async function watchCommand(cliRun: CliRun): Promise<number> {
  const { operands, options, settings, client, signal, environment, reporter } = cliRun;
  const parallelFiles = integerOption(options, 'parallel-files', { ...parallelLimits, otherwise: 2 });
  const settleMs = 1000 * integerOption(options, 'settle', { min: 1, max: 86_400, otherwise: 10 });
  const root = await requireFolder(operands[0]!);
  const disposal = await readDisposal(cliRun, root);
  const template = await findTemplate(client.api, textOption(options, 'template') ?? settings.template);
  const statePath = resolve(textOption(options, 'state') ?? join(root, '.open-video-service.json'));
  const release = await holdLock(join(stateFolder(environment), 'locks'), statePath);
  const identity = { url: settings.url, template: template.ulid, ...describedBy(options) };
  if (!options.once) reporter.note(`Watching ${root}. Ctrl-C stops it.`);
  try {
    const isFine = await watchFolder(
      {
        root,
        url: settings.url,
        words: cliRun.words,
        statePath,
        scan: {
          recursive: options.recursive === true,
          extensions: readExtensions(listOption(options, 'extensions')),
          excluded: disposal.kind === 'move' ? disposal.folder : undefined,
        },
        settleMs,
        pollMs: Math.min(pollMs, settleMs),
        parallelFiles,
        disposal,
        skipExisting: options['skip-existing'] === true,
        once: options.once === true,
        signal,
      },
      createWork(cliRun, identity),
    );
    return isFine ? exitCode.ok : exitCode.failed;
  } finally {
    if (signal.aborted) reporter.note('Start the command again to continue: uploads continue where they were.');
    await release();
  }
}

/** What `watchFolder` does with a file. */
function createWork(cliRun: CliRun, common: Omit<UploadIdentity, 'path'>): WatchWork {
  const { client, reporter, environment, options } = cliRun;
  const parallelParts = integerOption(options, 'parallel-parts', { ...parallelLimits, otherwise: 4 });
  const states = createUploadStates(join(stateFolder(environment), 'uploads'));
  states.removeOld(Date.now());
  const identityOf = ({ path }: LocalFile): UploadIdentity => ({ ...common, path });
  return {
    note: reporter.note,
    warn: reporter.warn,
    upload: (file, signal) =>
      uploadAndReport(cliRun, { file, identity: identityOf(file), states, parallelParts, restart: false, signal }),
    finish: (file) => states.remove(identityOf(file)),
    async discard(file) {
      const state = states.read(identityOf(file));
      if (!state) return;
      states.remove(identityOf(file));
      await client.abortUpload(state.upload.uploadId);
    },
    follow: (name, ulid, signal) => followAndReport({ ...cliRun, signal }, subjectOf({ name }), ulid),
  };
}

async function requireFolder(name: string): Promise<string> {
  const stats = await stat(name).catch((error: NodeJS.ErrnoException) => {
    throw usageError(error.code === 'ENOENT' ? `There is no folder '${name}'.` : `'${name}': ${error.code}`);
  });
  if (!stats.isDirectory())
    throw usageError(`'${name}' is not a folder. For a file: open-video-service upload '${name}'`);
  return realpath(name);
}

/** @throws CommandError for a folder that files cannot be moved to in one step, or whose files would be found again */
async function readDisposal({ options }: CliRun, root: string): Promise<Disposal> {
  const moveTo = textOption(options, 'move-to');
  if (moveTo !== undefined && options['delete-after']) throw usageError('Pass --move-to or --delete-after, not both.');
  if (options['delete-after']) return { kind: 'delete' };
  if (moveTo === undefined) return { kind: 'keep' };
  const folder = await requireFolder(moveTo);
  if (folder === root) throw usageError('--move-to is the watched folder. Pass another one.');
  if ((await stat(folder)).dev !== (await stat(root)).dev) {
    throw usageError('--move-to must be on the same disk as the watched folder: files are moved in one step.');
  }
  return { kind: 'move', folder };
}

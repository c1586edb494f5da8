import { setTimeout as sleep } from 'node:timers/promises';
import { JobError } from '../../shared/protocol/job-errors.ts';
import { type DeliverSpec, type FileToCopy, maxFilesToCopy } from '../../shared/protocol/jobs.ts';
import { eachInParallel } from '../runtime/each-in-parallel.ts';
import type { CopyContext } from './copy-context.ts';
import { ask, copyFile } from './copy-file.ts';

/** Small files are mostly time on the way; the memory for pieces bounds large ones. */
export const parallelFiles = 16;
const reportMs = 5_000;

/** Copies the files that earlier attempts have not copied, in their order, each stage after the one before. */
export async function copyFiles(context: CopyContext, spec: DeliverSpec): Promise<{ files: number; bytes: number }> {
  const progress = createCopyProgress(spec);
  const ended = new AbortController();
  const reporting = reportRegularly(context, progress, ended.signal);
  try {
    await eachInParallel(filesInOrder(context, spec, progress), parallelFiles, async (file) => {
      const urls = {
        current: file,
        renew: async () => {
          urls.current = await renewed(context, file.position, progress);
          return urls.current;
        },
      };
      await copyFile(context, urls).catch((error) => {
        progress.failed(error);
        throw error;
      });
      progress.copied(file);
      context.reportProgress(progress.fraction());
    });
  } catch (error) {
    // The next attempt copies less.
    if (!context.signal.aborted) await report(context, progress).catch(() => undefined);
    throw error;
  } finally {
    ended.abort();
    await reporting;
  }
  return { files: spec.fileCount, bytes: progress.state().copiedBytes };
}

async function* filesInOrder(
  context: CopyContext,
  { fileCount, copiedFiles }: DeliverSpec,
  progress: CopyProgress,
): AsyncGenerator<FileToCopy> {
  const request = (position: number): Promise<FileToCopy[]> => {
    const files = requestFiles(context, position, maxFilesToCopy, progress);
    files.catch(() => undefined);
    return files;
  };
  let stage: number | undefined;
  let next = copiedFiles < fileCount ? request(copiedFiles) : undefined;
  for (let position = copiedFiles; next; ) {
    const page: FileToCopy[] = await next;
    position += page.length;
    // The URLs of the next files are on their way while these are copied.
    next = position < fileCount ? request(position) : undefined;
    for (const file of page) {
      if (stage !== undefined && file.stage !== stage) await progress.reaches(file.position);
      ({ stage } = file);
      yield file;
    }
  }
}

async function requestFiles(
  context: CopyContext,
  position: number,
  count: number,
  progress: CopyProgress,
): Promise<FileToCopy[]> {
  const { files = [] } = await ask(context, { ask: 'copies', position, count, ...progress.state() });
  if (files[0]?.position !== position) throw new JobError('OUTPUT_MISMATCH', 'the service returned no files to copy');
  return files;
}

const renewed = async (context: CopyContext, position: number, progress: CopyProgress): Promise<FileToCopy> =>
  (await requestFiles(context, position, 1, progress))[0]!;

async function report(context: CopyContext, progress: CopyProgress): Promise<void> {
  const state = progress.state();
  if (state.copiedFiles === progress.reportedFiles) return;
  await ask(context, { ask: 'copied', ...state });
  progress.reportedFiles = state.copiedFiles;
}

async function reportRegularly(context: CopyContext, progress: CopyProgress, ended: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([ended, context.signal]);
  while (!signal.aborted) {
    await sleep(reportMs, undefined, { signal }).catch(() => undefined);
    // What fails here fails the requests for files too.
    if (!signal.aborted) await report(context, progress).catch(() => undefined);
  }
}

type State = { copiedFiles: number; copiedBytes: number };

/** Which files are copied: all before a position, and some behind it. */
type CopyProgress = {
  copied: (file: Pick<FileToCopy, 'position' | 'bytes'>) => void;
  state: () => State;
  fraction: () => number;
  /** resolves when all files before a position are copied, and rejects when one cannot be */
  reaches: (position: number) => Promise<void>;
  failed: (error: unknown) => void;
  /** what the service knows */
  reportedFiles: number;
};

function createCopyProgress({ copiedFiles, copiedBytes, totalBytes }: DeliverSpec): CopyProgress {
  const behind = new Map<number, number>();
  let awaited: { position: number; ends: PromiseWithResolvers<void> } | undefined;
  let failure: { error: unknown } | undefined;
  const state = { copiedFiles, copiedBytes };
  let bytes = copiedBytes;
  return {
    reportedFiles: copiedFiles,
    copied: (file) => {
      bytes += file.bytes;
      behind.set(file.position, file.bytes);
      for (let next = behind.get(state.copiedFiles); next !== undefined; next = behind.get(state.copiedFiles)) {
        behind.delete(state.copiedFiles);
        state.copiedFiles++;
        state.copiedBytes += next;
        if (state.copiedFiles === awaited?.position) awaited.ends.resolve();
      }
    },
    state: () => ({ ...state }),
    fraction: () => (totalBytes === 0 ? 1 : Math.min(1, bytes / totalBytes)),
    reaches: async (position) => {
      if (failure) throw failure.error;
      if (state.copiedFiles >= position) return;
      awaited = { position, ends: Promise.withResolvers() };
      await awaited.ends.promise;
    },
    failed: (error) => {
      failure ??= { error };
      awaited?.ends.reject(error);
    },
  };
}

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobContext } from '../../../encoder-task/jobs/job-context.ts';
import { createLog } from '../../../encoder-task/runtime/log.ts';
import { leaseFiles } from '../../../encoder-task/worker/lease-files.ts';
import { CallRejected } from '../../../encoder-task/worker/service-calls.ts';
import type { FileRequest, FileResponse, JobSpec, StoredSegments } from '../../../shared/protocol/jobs.ts';
import type { TestStore } from './store.ts';

/** The time limits are those of the tests, because a slow machine is not an error. */
export const limits = { wallSeconds: 240, stallSeconds: 120, memoryBytes: 6 * 2 ** 30, diskBytes: 1e9 };

type Given = {
  inputs?: string[];
  /** names, or the store key of each name */
  outputs?: string[] | Record<string, string>;
  signal?: AbortSignal;
  /** answers requests for further files; by default all are rejected */
  answerFiles?: (request: FileRequest) => Promise<FileResponse>;
  reportStored?: (stored: StoredSegments) => void;
};

const namesAndKeys = (outputs: string[] | Record<string, string>): [name: string, key: string][] =>
  Array.isArray(outputs) ? outputs.map((key) => [key, key]) : Object.entries(outputs);

const reject = async (): Promise<never> => {
  throw new CallRejected('status 422');
};

/**
 * The context of a job in an empty folder. Names of inputs and outputs are also their store keys, except for `source`,
 * which is the first key.
 */
export async function contextFor<Spec extends JobSpec>(
  store: TestStore,
  spec: Spec,
  { inputs = [], outputs = [], signal, answerFiles = reject, reportStored = () => undefined }: Given,
): Promise<JobContext<Spec> & { progress: number[] }> {
  const progress: number[] = [];
  return {
    spec,
    ...leaseFiles(
      {
        id: 'L1',
        kind: spec.kind,
        spec,
        limits,
        inputs: Object.fromEntries(inputs.map((key) => [key.startsWith('source') ? 'source' : key, store.url(key)])),
        outputs: Object.fromEntries(namesAndKeys(outputs).map(([name, key]) => [name, store.url(key)])),
      },
      answerFiles,
    ),
    limits,
    priority: 'normal',
    folder: await mkdtemp(join(tmpdir(), 'encoder-test-')),
    signal: signal ?? new AbortController().signal,
    log: createLog('error'),
    reportProgress: (fraction) => void progress.push(fraction),
    reportStored,
    countCpu: () => undefined,
    progress,
  };
}

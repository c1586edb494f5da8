import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { JobFiles } from '../transfer/job-files.ts';
import { checkStatus, storeFetch } from '../transfer/store-fetch.ts';

/**
 * The file of the model that a job names: fetched once, and kept beside the folders of jobs, as long as the task lives.
 * @throws JobError MODEL_UNUSABLE when the object is another one
 */
export async function fetchModel(context: OfJob, sha256: string): Promise<string> {
  const folder = join(dirname(context.folder), 'models');
  const file = join(folder, `${sha256}.bin`);
  if (await exists(file)) return file;
  const part = join(context.folder, 'model.part');
  const { inputUrl, signal } = context;
  const found = await storeFetch(
    (rejected) => inputUrl('model', rejected),
    signal,
    (url) => download(url, part, signal),
  );
  if (found !== sha256) {
    throw new JobError('MODEL_UNUSABLE', 'The model of speech has another SHA-256 than the settings say.', {
      fatal: true,
    });
  }
  await mkdir(folder, { recursive: true });
  // Another worker of the machine may have been faster, with the same content.
  await rename(part, file);
  return file;
}

type OfJob = Pick<JobFiles, 'inputUrl'> & { folder: string; signal: AbortSignal };

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/** Resolves with the SHA-256 of the object. A model has up to 3 GB, so that it is never in memory as a whole. */
async function download(url: string, file: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { headers: { 'accept-encoding': 'identity' }, redirect: 'error', signal });
  checkStatus(response.status);
  const hash = createHash('sha256');
  const hashed = new Transform({
    transform: (bytes: Buffer, _, done) => {
      hash.update(bytes);
      done(null, bytes);
    },
  });
  await pipeline(response.body ?? [], hashed, createWriteStream(file), { signal });
  return hash.digest('hex');
}

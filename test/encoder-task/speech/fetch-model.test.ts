import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fetchModel } from '../../../encoder-task/speech/fetch-model.ts';
import type { TranscribeSpec } from '../../../shared/protocol/jobs.ts';
import { useStoreAndFolder } from '../support/clips.ts';
import { contextFor } from '../support/context.ts';

const files = useStoreAndFolder();
const model = Buffer.alloc(3_000_000, 'model');
const sha256 = createHash('sha256').update(model).digest('hex');

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'models-'));
  files.store.objects.set('model', model);
});
afterEach(() => rm(root, { recursive: true }));

/** Fetches the model for a job in a folder of its own. */
async function fetchFor(job: string, wanted = sha256): Promise<string> {
  const spec: TranscribeSpec = { kind: 'transcribe', parts: 0, fromSeconds: 0, toSeconds: 1, language: null };
  const context = await contextFor(files.store, { ...spec, modelSha256: wanted }, { inputs: ['model'] });
  await rm(context.folder, { recursive: true });
  const folder = join(root, job);
  await mkdir(folder);
  return fetchModel({ ...context, folder }, wanted);
}

test('a model is fetched once for all jobs of a task', async () => {
  const path = await fetchFor('a');
  expect(await readFile(path)).toEqual(model);
  expect(await fetchFor('b')).toBe(path);
  expect(files.store.requests.filter(({ key }) => key === 'model')).toHaveLength(1);
  expect([await readdir(join(root, 'a')), await readdir(join(root, 'models'))]).toEqual([[], [`${sha256}.bin`]]);
});

test('a model is fetched again after the store was busy', async () => {
  files.store.failNext(503);
  expect(await readFile(await fetchFor('a'))).toEqual(model);
});

test('another model than the settings name is refused, and not kept', async () => {
  const refused = expect(fetchFor('a', '0'.repeat(64))).rejects;
  await refused.toMatchObject({ code: 'MODEL_UNUSABLE', fatal: true });
  expect(await readdir(root)).toEqual(['a']);
});

test('a model that was deleted is named as missing', async () => {
  files.store.objects.clear();
  await expect(fetchFor('a')).rejects.toMatchObject({ code: 'INPUT_GONE' });
});

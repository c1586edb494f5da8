import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEngine } from '../../../encoder-task/speech/engine.ts';
import { writeFakeEngine } from '../../fixtures/speech/fake-engine.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'engine-'));
});
afterAll(() => rm(folder, { recursive: true }));

const usual = { windowSeconds: 60, stallSeconds: 60, memoryBytes: 300 * 2 ** 20, diskBytes: 1e6 };
const samples = new Int16Array(1600);

async function start(
  behaviour: { load?: string; hear?: string },
  limits: Partial<typeof usual> = {},
  signal?: AbortSignal,
) {
  const files = await writeFakeEngine(await mkdtemp(join(folder, 'fake-')), behaviour);
  return startEngine(files, {
    folder,
    limits: { ...usual, ...limits },
    signal: signal ?? new AbortController().signal,
    // The lowest takes minutes on a busy machine.
    priority: 'normal',
  });
}

/** Does something for the first window only. */
const once = (first: string) => `
  const fs = require('node:fs');
  const mark = __filename + '.heard';
  if (!fs.existsSync(mark)) { fs.writeFileSync(mark, ''); ${first} }
  return { result: ' Hallo', language: 'de', segments: [{ text: ' Hallo', t0: 0, t1: 500 }] };`;
const heard = { language: 'de', tokens: [{ text: ' Hallo', startMs: 0, endMs: 500 }] };

test('a window is heard in another process, which gets no environment and the samples as they are', async () => {
  const hear = `
    const sum = new Int16Array(data).reduce((total, sample) => total + sample, 0);
    const text = [process.pid, Object.keys(process.env).length, sum, options.language].join(' ');
    return { result: text, language: 'de', segments: [{ text, t0: 0, t1: 10 }] };`;
  const engine = await start({ hear });
  const reply = await engine.hear(
    Int16Array.from({ length: 1000 }, () => 3),
    null,
  );
  const [pid, ...others] = reply!.tokens[0]!.text.split(' ');
  expect(Number(pid)).not.toBe(process.pid);
  expect(others).toEqual(['0', '3000', 'auto']);
  expect(await engine.close()).toBeGreaterThan(0);
});

test.each<[string, string]>([
  ['crashes', `process.kill(process.pid, 'SIGSEGV'); await new Promise(() => {});`],
  ['ends with status 0', 'process.exit(0);'],
  ['ends with status 3', 'process.exit(3);'],
  ['reports an error', `throw new Error('a secret of the engine');`],
  ['sends what is no reply', `process.send({ segments: 'all' }); await new Promise(() => {});`],
  ['names no text', `return { language: 'de', segments: [{ t0: 0 }] };`],
])('an engine that %s fails the window, and goes on with the next one', async (_, first) => {
  const engine = await start({ hear: once(first) });
  await expect(engine.hear(samples, 'de')).rejects.toMatchObject({
    code: 'ENCODER_FAILED',
    message: expect.not.stringContaining('secret'),
  });
  await engine.close();
});

test('after a crash, the next window has a new process', async () => {
  const engine = await start({ hear: once('process.exit(1);') });
  await expect(engine.hear(samples, 'de')).rejects.toMatchObject({ code: 'ENCODER_FAILED', fatal: false });
  expect(await engine.hear(samples, 'de')).toEqual(heard);
  await engine.close();
});

test.each<[string, string, Partial<typeof usual>]>([
  ['needs too much processor time', 'for (;;);', { windowSeconds: 1 }],
  ['hangs', 'await new Promise((resolve) => setTimeout(resolve, 1e8));', { stallSeconds: 5 }],
])('an engine that %s is ended, and goes on with the next window', async (_, first, limits) => {
  const engine = await start({ hear: once(first) }, limits);
  expect(await engine.hear(samples, 'de')).toBeUndefined();
  expect(await engine.hear(samples, 'de')).toEqual(heard);
  await engine.close();
});

test.each<[string, string]>([
  ['allocates more than is allowed', `const all = []; for (;;) all.push(Buffer.alloc(2 ** 26, 1));`],
  [
    'says so and aborts',
    `process.stderr.write('x'.repeat(1e6)); process.stderr.write('std::bad_alloc', () => process.abort()); await new Promise(() => {});`,
  ],
])('an engine that %s needs too much memory', async (_, hear) => {
  const engine = await start({ hear });
  await expect(engine.hear(samples, 'de')).rejects.toMatchObject({ code: 'MEMORY_LIMIT' });
  await engine.close();
});

test('endless text is cut off, and what the engine prints is not kept', async () => {
  const hear = `
    for (let line = 0; line < 2000; line++) { console.log('x'.repeat(1000)); console.error('y'.repeat(1000)); }
    const segments = Array.from({ length: 50_000 }, () => ({ text: 'a'.repeat(500), t0: 0, t1: 10 }));
    return { result: 'a'.repeat(1e7), language: 'de', segments };`;
  const engine = await start({ hear });
  const { tokens } = (await engine.hear(samples, 'de'))!;
  expect(tokens).toHaveLength(2000);
  expect(Math.max(...tokens.map(({ text }) => text.length))).toBe(200);
  await engine.close();
});

test('characters that are divided between tokens are whole', async () => {
  const hear = `return { result: ' Tee 茶', language: 'de', segments: [
    { text: ' Tee', t0: 0, t1: 10 }, { text: ' \\ufffd', t0: 10, t1: 20 }, { text: '\\ufffd', t0: 20, t1: 30 }] };`;
  const engine = await start({ hear });
  expect((await engine.hear(samples, 'de'))!.tokens).toEqual([
    { text: ' Tee', startMs: 0, endMs: 10 },
    { text: ' 茶', startMs: 10, endMs: 30 },
  ]);
  await engine.close();
});

test.each<[string, string, string]>([
  ['is refused', `throw new Error('failed to initialize');`, 'MODEL_UNUSABLE'],
  ['crashes the engine', `process.abort();`, 'MODEL_UNUSABLE'],
  ['needs too much memory', `throw new Error('bad_alloc');`, 'MEMORY_LIMIT'],
])('a model that %s is named as the cause', async (_, load, code) => {
  await expect(start({ load })).rejects.toMatchObject({ code });
});

test('a cancelled job ends the engine at once, with the reason', async () => {
  const abort = new AbortController();
  const engine = await start({ hear: 'for (;;);' }, {}, abort.signal);
  const pending = engine.hear(samples, 'de');
  abort.abort(new Error('the job was cancelled'));
  await expect(pending).rejects.toThrow('the job was cancelled');
  await engine.close();
});

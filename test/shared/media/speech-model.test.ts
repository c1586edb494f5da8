import { expect, test } from 'vitest';
import { describeSpeechModel } from '../../../shared/media/speech-model.ts';

/** The header of a model: that of `base` with 16-bit floats, unless changed. */
function headerOf({ magic = 0x67676d6c, vocabulary = 51_865, state = 512, layers = 6, type = 1 } = {}): Uint8Array {
  const numbers = [magic, vocabulary, 1500, state, 8, layers, 448, state, 8, layers, 80, type];
  return new Uint8Array(Int32Array.from(numbers).buffer);
}

const gib = 2 ** 30;
const baseBytes = 147_951_465;

test('a model of the usual size needs less than 1 GiB', () => {
  const model = describeSpeechModel(headerOf(), { bytes: baseBytes, machineBytes: 8 * gib });
  expect(model).toMatchObject({ memoryBytes: expect.any(Number) });
  expect((model as { memoryBytes: number }).memoryBytes).toBeLessThan(gib);
});

test('a model whose name ends in .en knows English only', () => {
  const file = { bytes: baseBytes, machineBytes: 8 * gib };
  expect(describeSpeechModel(headerOf({ vocabulary: 51_864 }), file)).toHaveProperty('onlyLanguage', 'en');
  expect(describeSpeechModel(headerOf(), file)).toHaveProperty('onlyLanguage', null);
});

test('a quantised model has a smaller file', () => {
  const file = { bytes: 81_768_585, machineBytes: 8 * gib };
  expect(describeSpeechModel(headerOf({ type: 2007 }), file)).toHaveProperty('memoryBytes');
  expect(describeSpeechModel(headerOf(), file)).toEqual({ problem: 'is not complete: copy it again' });
});

test.each([
  ['cut off', headerOf(), { bytes: baseBytes / 2 }, 'is not complete: copy it again'],
  ['shorter than a header', headerOf().subarray(0, 20), {}, /^is no Whisper model/],
  ['empty', new Uint8Array(0), { bytes: 0 }, /^is no Whisper model/],
  ['of another format', headerOf({ magic: 0x46554747 }), {}, /^is no Whisper model/],
  ['with numbers that no model has', headerOf({ layers: 100_000 }), {}, 'is a model that whisper.cpp does not know'],
  ['of 32-bit floats', headerOf({ type: 0 }), { bytes: 2 * baseBytes }, /^has weights of 32 bits/],
  ['too large for the machine', headerOf(), { machineBytes: gib / 4 }, /^needs \d+ MiB of memory, more than this/],
])('a file that is %s is refused', (_, header, file, problem) => {
  const model = describeSpeechModel(header, { bytes: baseBytes, machineBytes: 8 * gib, ...file });
  expect(model).toEqual({ problem: typeof problem === 'string' ? problem : expect.stringMatching(problem) });
});

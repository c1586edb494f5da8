import { expect, test } from 'vitest';
import { sampleRate, speechWindows } from '../../../encoder-task/speech/speech-windows.ts';

/** Numbers that look random, the same in each run. */
function noise(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 1_073_741_823.5 - 1;
  };
}

/** Sound whose level at each second is given by a function, from 0 to 1. */
function sound(seconds: number, levelAt: (second: number) => number): Int16Array {
  const next = noise();
  return Int16Array.from({ length: seconds * sampleRate }, (_, at) => 20_000 * levelAt(at / sampleRate) * next());
}

/** Syllables: louder and quieter three times a second, with a pause after every fourth second. */
const speech = (second: number): number =>
  second % 5 > 4 ? 0.001 : 0.05 + 0.5 * Math.max(0, Math.sin(2 * Math.PI * 3 * second)) ** 2;

test('silence and noise that stays the same have no windows', () => {
  expect(speechWindows(new Int16Array(40 * sampleRate))).toEqual([]);
  expect(speechWindows(sound(40, () => 0.3))).toEqual([]);
  expect(speechWindows(new Int16Array(0))).toEqual([]);
});

test('a window begins a little before the speech and ends a little after it', () => {
  const windows = speechWindows(sound(12, (second) => (second > 3 && second < 7 ? speech(second - 3) : 0.001)));
  expect(windows).toHaveLength(1);
  expect(windows[0]!.from).toBeGreaterThan(2.6);
  expect(windows[0]!.from).toBeLessThan(3);
  expect(windows[0]!.to).toBeGreaterThan(6.9);
  expect(windows[0]!.to).toBeLessThan(7.4);
});

test('windows have at most 28 s, and end in pauses', () => {
  const windows = speechWindows(sound(120, speech));
  for (const { from, to } of windows) {
    expect(to - from).toBeLessThanOrEqual(28);
    expect(to % 5).toBeGreaterThan(4);
  }
  expect(windows.length).toBeLessThan(7);
});

test('speech without a pause is divided where it is quietest', () => {
  const fast = (second: number): number => 0.1 + 0.4 * Math.sin(2 * Math.PI * 3 * second) ** 2;
  const [first] = speechWindows(sound(60, (second) => (Math.abs(second - 21) < 0.15 ? 0.02 : fast(second))));
  expect(first!.to).toBeGreaterThan(20.8);
  expect(first!.to).toBeLessThan(21.2);
});

test('a long pause ends a window, so that the engine makes nothing up for it', () => {
  const windows = speechWindows(sound(25, (second) => (second < 4 || second > 20 ? speech(second % 4) : 0.0005)));
  expect(windows).toHaveLength(2);
});

import { expect, test } from 'vitest';
import { createStarvationClock } from '../../../dashboard/player/starvation-clock.ts';

function open() {
  let nowMs = 0;
  const clock = createStarvationClock(() => nowMs);
  return { clock, pass: (milliseconds: number) => (nowMs += milliseconds) };
}

test('what a viewer waits for after playback began is taken once, one period after the other', () => {
  const { clock, pass } = open();
  clock.begin();
  clock.wait(false);
  pass(3000);
  clock.go();
  pass(500);
  clock.wait(false);
  pass(200);
  expect([clock.take(), clock.take()]).toEqual([3000, undefined]);
  clock.go();
  pass(100);
  clock.wait(false);
  pass(300);
  clock.go();
  expect([clock.take(), clock.take(), clock.take()]).toEqual([200, 300, undefined]);
});

test('the start of playback and a jump are no interruption', () => {
  const { clock, pass } = open();
  clock.wait(false);
  pass(900);
  clock.go();
  clock.begin();
  clock.wait(true);
  pass(700);
  clock.go();
  expect(clock.take()).toBeUndefined();
});

test('a jump or pause ends an interruption, and another source has a start of its own', () => {
  const { clock, pass } = open();
  clock.begin();
  clock.wait(false);
  pass(400);
  clock.interrupt();
  pass(5000);
  clock.go();
  clock.reset();
  clock.wait(false);
  pass(100);
  clock.go();
  expect([clock.take(), clock.take()]).toEqual([400, undefined]);
});

test('what was not taken is taken with the beginning of a period that still lasts, whose rest is another one', () => {
  const { clock, pass } = open();
  clock.begin();
  clock.wait(false);
  pass(400);
  clock.go();
  clock.wait(false);
  pass(1000);
  expect(clock.takeAll()).toEqual([400, 1000]);
  expect(clock.takeAll()).toEqual([]);
  pass(200);
  clock.go();
  expect(clock.takeAll()).toEqual([200]);
  pass(700);
  expect(clock.takeAll()).toEqual([]);
});

test('what a viewer waited until another source was chosen counts', () => {
  const { clock, pass } = open();
  clock.begin();
  clock.wait(false);
  pass(600);
  clock.reset();
  pass(900);
  clock.go();
  expect(clock.takeAll()).toEqual([600]);
});

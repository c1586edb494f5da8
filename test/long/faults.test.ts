import { expect, test } from 'vitest';
import { allFaults } from '../../lab/faults/injected/all-faults.ts';
import { runFaults } from '../../lab/faults/run-faults.ts';

test('whatever process dies, videos equal undisturbed ones, are counted once, and leave nothing behind', async () => {
  const lines: string[] = [];
  const count = 5;
  const { violations, missed } = await runFaults({
    sets: allFaults,
    count,
    seed: 3,
    lanes: 3,
    print: (line) => lines.push(line),
  });
  expect(violations, lines.join('\n')).toEqual([]);
  expect(missed, lines.join('\n')).toBeLessThan(count / 2);
}, 900_000);

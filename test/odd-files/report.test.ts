import { expect, test } from 'vitest';
import type { Item } from '../journey/account.ts';
import { endsOf, type Sent, table, wrongEnds } from './report.ts';
import { overtaken, waitsSeconds } from './waiting.ts';

const file = { position: 7, kind: 'mp4: places', how: 'stco', bytes: Buffer.alloc(0) };
const odd: Sent = { ulid: 'ODD', file, refused: null };

const stored = (status: string, errorLog: string | null, attempt = 1): Item[] =>
  [
    { pk: 'VIDEO#ODD', sk: 'VIDEO', kind: 'video', ulid: 'ODD', status },
    { pk: 'VIDEO#ODD', sk: 'STREAMS', kind: 'streams', streams: { A: { errorLog } } },
    { pk: 'JOBS#ODD#0', sk: 'probe#0#0', kind: 'probe', videoUlid: 'ODD', status: 'FAILED', attempt },
  ] as Item[];

test.each<[string, Item[], RegExp | null]>([
  ['completed', stored('completed', null), null],
  ['failed with a code and a sentence', stored('failed', 'INPUT_DAMAGED: The file is damaged. Export it again.'), null],
  ['failed at the fourth attempt', stored('failed', 'INPUT_DAMAGED: The file is damaged.', 4), /took 4 attempts/],
  [
    'failed by a fault of the service',
    stored('failed', 'ENCODER_FAILED: The service failed.'),
    /ended with ENCODER_FAILED/,
  ],
  ['failed with an invented code', stored('failed', 'INPUT_ODD: The file is odd.'), /ended with INPUT_ODD/],
  ['failed with words of a library', stored('failed', 'INPUT_DAMAGED: moov atom not found'), /no clear sentence/],
  ['failed with an address', stored('failed', 'INPUT_DAMAGED: Got http://127.0.0.1:80 wrong.'), /no clear sentence/],
  ['not ended', stored('running', null), /ended with running/],
  ['never there', [], /ended with no video/],
])('an odd file that is %s', (_, items, wrong) => {
  expect(wrongEnds(endsOf([odd], items))).toEqual(wrong ? [expect.stringMatching(wrong)] : []);
});

test('a good file has to be completed', () => {
  const good = { ...odd, file: null };
  expect(wrongEnds(endsOf([good], stored('completed', null)))).toEqual([]);
  expect(wrongEnds(endsOf([good], stored('failed', 'INPUT_DAMAGED: The file is damaged.')))).toHaveLength(1);
});

test('the table has a line for each end', () => {
  const lines = table(endsOf([odd, { ...odd, ulid: null, refused: '422' }], stored('completed', null)));
  expect(lines).toHaveLength(3);
  expect(lines.slice(1).join('\n')).toMatch(/^completed +1 .* mp4\nrefused +1 /);
});

test('a good file may wait for one attempt of each worker, not for more', () => {
  const at = (second: number): string => new Date(second * 1000).toISOString();
  const job = (videoUlid: string, queued: number, ended: number, tookSeconds?: number): Item =>
    ({
      ...{ pk: `JOBS#${videoUlid}#1`, sk: 'x', kind: 'encode-video', videoUlid },
      ...{ queuedAt: at(queued), endedAt: at(ended), ...(tookSeconds !== undefined && { tookSeconds }) },
    }) as Item;
  const items = [job('GOOD', 10, 16, 2), job('A', 0, 9, 1), job('B', 0, 11, 5), job('C', 0, 12), job('D', 0, 15, 1)];
  expect(overtaken(items, new Set(['GOOD']), 2)).toEqual([]);
  expect(overtaken([...items, job('E', 0, 13)], new Set(['GOOD']), 2)).toEqual([
    "3 attempts at odd files ended while a good file's encode-video of GOOD was queued",
  ]);
  expect(waitsSeconds(items, new Set(['GOOD', 'A']))).toEqual([4, 8]);
});

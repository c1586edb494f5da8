import { expect, test } from 'vitest';
import { endsOf, type Sent, table, wrongEnds } from '../../../lab/odd-files/report.ts';
import { overtaken, waitsSeconds } from '../../../lab/odd-files/waiting.ts';
import type { Item } from '../../journey/support/account.ts';

const file = { position: 7, kind: 'mp4: chunk offsets', how: 'stco', bytes: Buffer.alloc(0) };
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
  ['failed with a message of a library', stored('failed', 'INPUT_DAMAGED: moov atom not found'), /no clear sentence/],
  ['failed with an address', stored('failed', 'INPUT_DAMAGED: Got http://127.0.0.1:80 wrong.'), /no clear sentence/],
  ['not finished', stored('running', null), /ended with running/],
  ['missing', [], /ended with no video/],
])('an odd file that is %s', (_, items, wrong) => {
  expect(wrongEnds(endsOf([odd], items))).toEqual(wrong ? [expect.stringMatching(wrong)] : []);
});

test('a good file must be completed', () => {
  const good = { ...odd, file: null };
  expect(wrongEnds(endsOf([good], stored('completed', null)))).toEqual([]);
  expect(wrongEnds(endsOf([good], stored('failed', 'INPUT_DAMAGED: The file is damaged.')))).toHaveLength(1);
});

test('the table has a line for each end', () => {
  const lines = table(endsOf([odd, { ...odd, ulid: null, refused: '422' }], stored('completed', null)));
  expect(lines).toHaveLength(3);
  expect(lines.slice(1).join('\n')).toMatch(/^completed +1 .* mp4\nrefused +1 /);
});

test('while a good file is queued, odd files get no more than their share', () => {
  const at = (second: number): string => new Date(second * 1000).toISOString();
  const job = (videoUlid: string, queued: number, ended: number, tookSeconds?: number): Item =>
    ({
      pk: `JOBS#${videoUlid}#1`,
      sk: 'x',
      kind: 'encode-video',
      videoUlid,
      estimateSeconds: 10,
      queuedAt: at(queued),
      endedAt: at(ended),
      ...(tookSeconds !== undefined && { tookSeconds }),
    }) as Item;
  // two workers finish their jobs, and each user gets one job more than its share
  const odd = Array.from({ length: 5 }, (_, n) => job(`ODD${n}`, 0, 11 + n));
  const items = [job('GOOD', 10, 22, 2), job('A', 0, 9, 1), ...odd];
  expect(overtaken(items, new Set(['GOOD']), 2)).toEqual([]);
  expect(overtaken([...items, job('ODD', 0, 19)], new Set(['GOOD']), 2)).toEqual([
    '60 s of work for odd files and 10 s for good ones were done while the encode-video of the good file GOOD was queued',
  ]);
  expect(waitsSeconds(items, new Set(['GOOD', 'A']))).toEqual([8, 10]);
});

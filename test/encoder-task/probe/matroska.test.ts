import { expect, test } from 'vitest';
import { withEnabledFlags } from '../../../encoder-task/probe/matroska.ts';
import type { ProbeStream } from '../../../shared/protocol/probe-document.ts';

function element(id: string, ...payload: Buffer[]): Buffer {
  const bytes = Buffer.concat(payload);
  return Buffer.concat([Buffer.from(id, 'hex'), Buffer.from([0x80 | bytes.length]), bytes]);
}
const number = (id: string, value: number): Buffer => element(id, Buffer.from([value]));

const entry = (type: number, ...more: Buffer[]): Buffer =>
  element('ae', number('83', type), element('86', Buffer.from('A_AAC')), ...more);
const [video, audio, buttons] = [1, 2, 0x12];
const disabled = number('b9', 0);
const file = (...entries: Buffer[]): Buffer => element('18538067', element('1654ae6b', ...entries));

const streams: ProbeStream[] = [0, 1].map((index) => ({ index, disposition: { default: 1 } }));
const defaults = (head: Buffer) => withEnabledFlags(streams, head).map(({ disposition }) => disposition?.default);

test('a track of Matroska that is disabled is not the default', () => {
  expect(defaults(file(entry(video, disabled), entry(audio)))).toEqual([0, 1]);
  expect(defaults(file(entry(video), entry(audio, number('b9', 1))))).toEqual([1, 1]);
});

test('tracks of which FFmpeg makes no stream do not count', () => {
  expect(defaults(file(entry(buttons, disabled), entry(video), entry(audio, disabled)))).toEqual([1, 0]);
});

test('an element of unknown size ends with the file', () => {
  const tracks = element('1654ae6b', entry(video, disabled));
  expect(defaults(Buffer.concat([Buffer.from('18538067ff', 'hex'), tracks]))).toEqual([0, 1]);
});

test('a file with invalid elements has the flags that FFmpeg found', () => {
  expect(defaults(Buffer.from('1853806700', 'hex'))).toEqual([1, 1]);
});

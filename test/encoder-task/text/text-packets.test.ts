import { expect, test } from 'vitest';
import { createTextPacketReader, maxPacketBytes, type TextPacket } from '../../../encoder-task/text/text-packets.ts';

function read(output: string): TextPacket[] {
  const packets: TextPacket[] = [];
  const readLine = createTextPacketReader((packet) => packets.push(packet));
  for (const line of output.split('\n')) readLine(line);
  return packets;
}

const dump = `data=
00000000: 3c62 3e48 656c 6c6f 3c2f 623e 203c 693e  <b>Hello</b> <i>
00000010: 776f 72                                  wor

[/PACKET]`;

test('reads times and bytes', () => {
  expect(read(`[PACKET]\nstream_index=2\npts_time=0.523000\nduration_time=1.000000\nsize=19\n${dump}`)).toEqual([
    {
      streamIndex: 2,
      startSeconds: 0.523,
      durationSeconds: 1,
      bytes: Buffer.from('<b>Hello</b> <i>wor'),
      settings: '',
    },
  ]);
});

test('a packet without a duration, and one without a time', () => {
  const fields = (time: string) => `[PACKET]\nstream_index=2\npts_time=${time}\nduration_time=N/A\nsize=19\n${dump}`;
  expect(read(fields('3.000000'))).toMatchObject([{ startSeconds: 3, durationSeconds: null }]);
  expect(read(fields('N/A'))).toEqual([]);
});

const sideData = (type: string, lines: string) =>
  `[SIDE_DATA]\nside_data_type=${type}\ndata=\n${lines}\n\n[/SIDE_DATA]\n`;
const settingsLines = `00000000: 706f 7369 7469 6f6e 3a31 3025 2061 6c69  position:10% ali
00000010: 676e 3a73 7461 7274 206c 696e 653a 30    gn:start line:0`;

test('cue settings are read, and other side data is not', () => {
  const fields = '[PACKET]\nstream_index=2\npts_time=1.0\nduration_time=1.0\nsize=19\n';
  const id = sideData('WebVTT ID', '00000000: 6964 31                                  id1');
  const [packet] = read(`${fields}${id}${sideData('WebVTT Settings', settingsLines)}${dump}\n${fields}${dump}`);
  expect(packet).toMatchObject({
    settings: 'position:10% align:start line:0',
    bytes: Buffer.from('<b>Hello</b> <i>wor'),
  });
  expect(read(`${fields}${dump}`)).toMatchObject([{ settings: '' }]);
});

test('settings that would end the line of a cue are left out', () => {
  const fields = '[PACKET]\nstream_index=2\npts_time=1.0\nduration_time=1.0\nsize=19\n';
  const lines = '00000000: 6c69 6e65 3a30 0a78                      line:0.x';
  expect(read(`${fields}${sideData('WebVTT Settings', lines)}${dump}`)).toMatchObject([{ settings: '' }]);
});

test('the bytes of a packet that is too long are not kept', () => {
  const size = maxPacketBytes + 1;
  const [packet] = read(`[PACKET]\nstream_index=2\npts_time=1.0\nduration_time=1.0\nsize=${size}\n${dump}`);
  expect(packet!.bytes).toHaveLength(0);
});

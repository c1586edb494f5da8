import { expect, test } from 'vitest';
import { createMessageReader } from '../../../../encoder-task/ffmpeg/output/decoder-messages.ts';

const rejected = '[error] Error while decoding stream #0:0: Invalid data found when processing input';
const corrupt = '[warning] http://127.0.0.1:1/a: corrupt decoded frame in stream 0';
const first = '[Parsed_showinfo_8 @ 0x55d] [info] n:   0 pts:      0 pts_time:0       pos:     48 fmt:yuv420p';

test('messages before the first frame of a chunk are not counted', () => {
  const { read, counts } = createMessageReader({ startsWithChunk: false });
  for (const line of [rejected, corrupt, '[hevc @ 0x1] [error] Could not find ref with POC 3', first]) read(line);
  expect(counts()).toEqual({ rejectedPackets: 0, damagedFrames: 0 });
  for (const line of [rejected, corrupt, corrupt, '[hevc @ 0x1] [error] Could not find ref with POC 3']) read(line);
  expect(counts()).toEqual({ rejectedPackets: 1, damagedFrames: 2 });
});

test('at the beginning of a file all messages are counted', () => {
  const { read, counts } = createMessageReader({ startsWithChunk: true });
  for (const line of [corrupt, rejected, '[h264 @ 0x1] [error] mmco: unref short failure', first]) read(line);
  expect(counts()).toEqual({ rejectedPackets: 1, damagedFrames: 1 });
});

test('a concealed frame is counted once, also when it is marked as corrupt', () => {
  const { read, counts } = createMessageReader({ startsWithChunk: true });
  const concealed = '[h264 @ 0x1] [info] concealing 40 DC, 40 AC, 40 MV errors in B frame';
  for (const line of [concealed, concealed, corrupt]) read(line);
  expect(counts().damagedFrames).toBe(2);
});

test('only errors are kept, and no tags of the file', () => {
  const { read } = createMessageReader({ startsWithChunk: true });
  expect(read('[hls @ 0x1] [error] No space left on device')).toBe('[hls @ 0x1] No space left on device');
  expect(read('[fatal] Out of memory')).toBe('Out of memory');
  for (const line of [
    corrupt,
    first,
    '[info]     title           : x',
    '                    : No space left on device',
  ]) {
    expect(read(line)).toBeUndefined();
  }
});

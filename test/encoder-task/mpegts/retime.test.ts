import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { retimeFor } from '../../../encoder-task/mpegts/retime.ts';
import { retimedParts } from '../../../encoder-task/source/retimed-parts.ts';
import { useStoreAndFolder } from '../support/clips.ts';
import { ffmpeg } from '../support/ffmpeg.ts';

const files = useStoreAndFolder();

/** Decode times of the packets of a file by stream. */
async function timesOf(file: string): Promise<Map<string, number[]>> {
  const entries = ['-show_entries', 'packet=stream_index,dts', '-of', 'csv=p=0:nk=1'];
  const { stdout } = await promisify(execFile)('ffprobe', ['-v', 'error', ...entries, file]);
  const lines = stdout.split('\n').filter((line) => /^\d/.test(line));
  const grouped = Map.groupBy(lines, (line) => line.split(',')[0]!);
  return new Map([...grouped].map(([stream, of]) => [stream, of.map((line) => Number(line.split(',')[1]))]));
}

/** The bytes that ffmpeg reads when the file is read in parts of any size. */
async function readAll(bytes: Buffer, formatName: string, shiftTicks: number, sizes: number[]): Promise<Buffer> {
  const retime = retimeFor(formatName, [{ fromByte: 0, shiftTicks }], bytes)!;
  let part = 0;
  const read = async (position: number) => {
    const size = sizes[part++ % sizes.length]!;
    return bytes.subarray(position, position + size);
  };
  const parts = retimedParts(read, bytes.length, retime);
  const made: Buffer[] = [];
  for (let position = 0; position < bytes.length; position += made.at(-1)!.length) made.push(await parts(position));
  return Buffer.concat(made);
}

const videoInput = ['-f', 'lavfi', '-i', 'testsrc2=s=64x36:d=0.6', '-f', 'lavfi', '-i', 'sine=d=0.6'];

describe.each([
  ['a transport stream', 'a.ts', 'mpegts', ['-c:v', 'mpeg2video', '-bf', '2', '-c:a', 'mp2']],
  ['a transport stream of a camcorder', 'a.mts', 'mpegts', ['-c:v', 'mpeg2video', '-mpegts_m2ts_mode', '1']],
  ['a program stream of MPEG-2', 'a.vob', 'mpeg', ['-c:v', 'mpeg2video', '-bf', '2', '-c:a', 'mp2', '-f', 'vob']],
  ['a program stream of MPEG-1', 'a.mpg', 'mpeg', ['-c:v', 'mpeg1video', '-bf', '2', '-c:a', 'mp2', '-f', 'mpeg']],
])('%s', (_, name, formatName, codecs) => {
  let bytes: Buffer;
  let times: Map<string, number[]>;
  beforeAll(async () => {
    await ffmpeg(...videoInput, ...codecs, '-threads', '1', files.path(name));
    bytes = await readFile(files.path(name));
    times = await timesOf(files.path(name));
  });
  const written = async (made: Buffer): Promise<Map<string, number[]>> => {
    await writeFile(files.path(`moved-${name}`), made);
    return timesOf(files.path(`moved-${name}`));
  };
  const moved = (ticks: number) =>
    new Map([...times].map(([stream, dts]) => [stream, dts.map((time) => time + ticks)]));

  test.each([900_000, 2 ** 32])('has all times shifted by %i ticks and is otherwise unchanged', async (ticks) => {
    const made = await readAll(bytes, formatName, ticks, [bytes.length]);
    expect(await written(made)).toEqual(moved(ticks));
    expect(await readAll(made, formatName, -ticks, [bytes.length])).toEqual(bytes);
  });

  test('is the same for all part sizes', async () => {
    const whole = await readAll(bytes, formatName, 900_000, [bytes.length]);
    const sizes = fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(sizes, async (all) => {
        expect((await readAll(bytes, formatName, 900_000, all)).equals(whole)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test('has times shifted from a position on', async () => {
    const twice = Buffer.concat([bytes, bytes]);
    const retime = retimeFor(formatName, [{ fromByte: bytes.length, shiftTicks: 900_000 }], bytes)!;
    const made = Buffer.from(twice);
    expect(retime(made, 0, true)).toBe(made.length);
    expect(made.subarray(0, bytes.length)).toEqual(bytes);
    expect(made.subarray(bytes.length)).toEqual(await readAll(bytes, formatName, 900_000, [bytes.length]));
  });
});

test('packets of a transport stream are found again after missing bytes', async () => {
  const bytes = await readFile(files.path('a.ts'));
  const cut = 188 * 11;
  const damaged = Buffer.concat([bytes.subarray(0, cut), bytes.subarray(cut + 77)]);
  const made = await readAll(damaged, 'mpegts', 900_000, [1000]);
  const whole = await readAll(bytes, 'mpegts', 900_000, [1000]);
  expect(made.subarray(0, cut - 188)).toEqual(whole.subarray(0, cut - 188));
  expect(made.subarray(cut + 188)).toEqual(whole.subarray(cut + 77 + 188));
});

test('other containers, and files with a continuous clock, are unchanged', () => {
  expect(retimeFor('mov,mp4', [{ fromByte: 0, shiftTicks: 1 }], Buffer.alloc(0))).toBeUndefined();
  expect(retimeFor('mpegts', [], Buffer.alloc(0))).toBeUndefined();
});

test('noise without packet starts is unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 2000 }),
      fc.integer({ min: 1, max: 500 }),
      async (noise, size) => {
        const bytes = Buffer.from(noise);
        for (const formatName of ['mpegts', 'mpeg']) {
          expect(await readAll(bytes, formatName, 1, [size])).toHaveLength(bytes.length);
        }
      },
    ),
    { numRuns: 100 },
  );
});

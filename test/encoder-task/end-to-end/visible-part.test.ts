import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { findBox, readBoxes } from '../../../encoder-task/isobmff/boxes.ts';
import { colorDistance, colorsAt } from '../support/clips/colors.ts';
import { box, turnVideo } from '../support/clips/mp4.ts';
import { h264, useStoreAndFolder } from '../support/clips.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { joinTrack } from '../support/run-jobs.ts';
import { runPlan } from '../support/run-plan.ts';

const files = useStoreAndFolder();

const query = {
  version: 1,
  video: [{ name: 'v', codec: 'h264', height: 128, preset: 'ultrafast', crf: 10 }],
  outputs: [{ format: 'hls' }],
  thumbnails: { poster: { at: '0s', width: 128 } },
};

/** 128 × 80 blue pixels in a red frame of 160 × 96: 8 more at the left and at the top than centred. */
const framed = [
  ...['-f', 'lavfi', '-i', 'color=red:s=160x96:r=10:d=0.5,drawbox=x=24:y=16:w=128:h=80:color=blue:t=fill'],
  ...[...h264, '-qp', '4'],
];
const crop = { left: 24, top: 16, right: 8, bottom: 0 };

/** Adds a box to the sample entry of the first track, whose movie header is at the end of the file. */
function addToEntry(bytes: Buffer, path: string[], added: Buffer): Buffer {
  const [next, ...rest] = path;
  return Buffer.concat(
    readBoxes(bytes).map(({ type, payload }) => {
      if (type !== next) return box(type, payload);
      if (rest.length === 0) return box(type, payload, added);
      const headBytes = type === 'stsd' ? 8 : 0;
      return box(type, payload.subarray(0, headBytes), addToEntry(payload.subarray(headBytes), rest, added));
    }),
  );
}

async function makeMovie(file: string): Promise<string> {
  await ffmpeg(...framed, file);
  const clap = box('clap', 128, 1, 80, 1, 8, 1, 8, 1);
  const bytes = addToEntry(await readFile(file), ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd', 'avc1'], clap);
  expect(findBox(bytes, 'moov')!.includes('clap')).toBe(true);
  await writeFile(file, bytes);
  return file;
}

/** IDs of Matroska: Segment, Tracks, TrackEntry, Video. */
const videoPath = [0x18538067, 0x1654ae6b, 0xae, 0xe0];

/** Adds elements to the one at `path`, whose parents get sizes of eight bytes. */
function addElements(bytes: Buffer, [next, ...rest]: number[], added: Buffer): Buffer {
  const made: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const idBytes = Math.clz32(bytes[at]!) - 23;
    const sizeBytes = Math.clz32(bytes[at + idBytes]!) - 23;
    const start = at + idBytes + sizeBytes;
    // of eight bytes, the first two are 1 and 0, or 1 and 255 for an unknown size
    const size =
      sizeBytes === 8
        ? bytes.readUIntBE(start - 6, 6)
        : bytes.readUIntBE(at + idBytes, sizeBytes) - 2 ** (7 * sizeBytes);
    const hasEnd = size < 2 ** 48 - 1;
    const end = hasEnd ? start + size : bytes.length;
    if (bytes.readUIntBE(at, idBytes) === next) {
      const content = bytes.subarray(start, end);
      const payload = rest.length > 0 ? addElements(content, rest, added) : Buffer.concat([content, added]);
      const length = Buffer.alloc(8, hasEnd ? 0 : 0xff);
      if (hasEnd) length.writeUIntBE(payload.length, 2, 6);
      length[0] = 1;
      made.push(bytes.subarray(at, at + idBytes), length, payload);
    } else made.push(bytes.subarray(at, end));
    at = end;
  }
  return Buffer.concat(made);
}

async function makeMatroska(file: string): Promise<string> {
  // without positions of later elements
  await ffmpeg(...framed, '-live', '1', file);
  const crops = [
    0x54,
    0xaa,
    0x81,
    crop.bottom,
    0x54,
    0xbb,
    0x81,
    crop.top,
    0x54,
    0xcc,
    0x81,
    crop.left,
    0x54,
    0xdd,
    0x81,
    crop.right,
  ];
  await writeFile(file, addElements(await readFile(file), videoPath, Buffer.from(crops)));
  return file;
}

const places: [number, number][] = [
  [0.02, 0.02],
  [0.98, 0.98],
];
const makers = [
  ['the clean aperture of an MP4', 'aperture.mp4', makeMovie, 0, { width: 128, height: 80 }],
  ['the clean aperture of a turned MP4', 'turned.mp4', makeMovie, 90, { width: 80, height: 128 }],
  ['PixelCrop of Matroska', 'crop.mkv', makeMatroska, 0, { width: 128, height: 80 }],
] as const;

test.each(makers)('%s is cut out, in the video and in its images', async (_, name, make, degrees, size) => {
  const source = await make(files.path(name));
  if (degrees > 0) {
    const bytes = await readFile(source);
    turnVideo(bytes, 90);
    await writeFile(source, bytes);
  }
  const made = await runPlan(files.store, source, query);
  expect(made.plan.decisions).toContainEqual({
    code: 'picture_cropped',
    message: 'The file declares 128 × 80 pixels of the picture as visible: the others are cut off.',
    facts: crop,
  });
  expect(made.plan.streams).toMatchObject([size]);
  const [joined, poster] = [files.path('joined.mp4'), files.path('poster.jpg')];
  await joinTrack(files.store, made.video.get('v')!, joined);
  await writeFile(poster, files.store.objects.get('poster.jpg')!);
  for (const file of [joined, poster]) {
    for (const color of await colorsAt(file, places)) {
      expect(colorDistance(color, [0, 0, 255]), file).toBeLessThanOrEqual(12);
    }
  }
});

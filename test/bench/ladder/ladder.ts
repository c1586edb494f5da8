import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runOrThrow } from '../../journey/support/ffmpeg.ts';
import { type Row, row } from '../row.ts';
import { type Clip, clipArgs, clips, fileClip } from './clips.ts';
import { encodeRungs, type Measured, openClip } from './encode-rungs.ts';
import { makePictures } from './pictures.ts';

const ladder = { codec: 'h264' };

/** Bytes and XPSNR of each rung of the automatic ladder, for clips of different kinds. */
export async function measureLadder(): Promise<Row[]> {
  const rows: Row[] = [];
  await eachClip(async ({ name }, file, folder) => {
    const source = await openClip(file, ladder, folder);
    try {
      const { measured } = await encodeRungs(source);
      for (const encode of measured.toReversed()) rows.push(...rowsOf(name, encode));
    } finally {
      await source.store.close();
    }
  });
  return rows;
}

/**
 * Calls `measure` with each clip, its file and a folder for other files, one after the other. `wanted` are names of
 * clips or paths of files; all clips by default.
 */
export async function eachClip(
  measure: (clip: Clip, file: string, folder: string) => Promise<void>,
  wanted: string[] = [],
): Promise<void> {
  const pictures = await mkdtemp(join(tmpdir(), 'bench-ladder-'));
  try {
    const made = clips(await makePictures(pictures));
    const clipOf = (name: string): Clip => made.find((clip) => clip.name === name) ?? fileClip(name);
    for (const clip of wanted.length === 0 ? made : wanted.map(clipOf)) {
      const folder = await mkdtemp(join(tmpdir(), 'bench-ladder-clip-'));
      try {
        const file = join(folder, 'source.mp4');
        await runOrThrow('ffmpeg', clipArgs(clip, file));
        await measure(clip, file, folder);
      } finally {
        await rm(folder, { recursive: true });
      }
    }
  } finally {
    await rm(pictures, { recursive: true });
  }
}

const rowsOf = (clip: string, { rung, bytes, decibels, seconds }: Measured): Row[] => [
  row({ name: `${clip}, ${rung.name}: bitrate`, unit: 'kbit/s', value: (bytes * 8) / 1000 / seconds }),
  row({ name: `${clip}, ${rung.name}: XPSNR`, unit: 'dB', value: decibels }),
];

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runOrThrow } from '../../journey/support/ffmpeg.ts';
import { type Row, row } from '../row.ts';
import { bdRate, type RatePoint } from './bd-rate.ts';
import { type Clip, clipArgs, clips, fileClip } from './clips.ts';
import { decideQuality } from './decide-quality.ts';
import { changeRungs, encodeRungs, openClip, type Source } from './encode-rungs.ts';
import { goalRows } from './goal.ts';
import { makePictures } from './pictures.ts';
import { averageCurve, constantCurve, curveRung } from './rate-curves.ts';

const ladder = { codec: 'h264' };

/** Bytes and XPSNR of each rung of the automatic ladder in both of its modes, for clips of different kinds. */
export async function measureLadder(wanted: string[] = []): Promise<Row[]> {
  const rows: Row[] = [];
  const rates: number[] = [];
  await eachClip(async ({ name }, file, folder) => {
    const source = await openClip(file, ladder, folder);
    try {
      const average = await encodeRungs(source, source.plan.groups);
      const constant = await encodeRungs(source, await decideQuality(source, ladder));
      for (const one of average) {
        const same = constant.find(({ rung }) => rung.name === one.rung.name);
        rows.push(...goalRows(name, one, same));
      }
      const percent = await deltaRate(source);
      if (percent !== null) rates.push(percent);
      if (percent !== null) rows.push(row({ name: `${name}: BD-rate of constant quality`, unit: '%', value: percent }));
      process.stderr.write(`${name} measured\n`);
    } finally {
      await source.store.close();
    }
  }, wanted);
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  return [...rows, row({ name: 'mean BD-rate of constant quality', unit: '%', value: mean })];
}

/** BD-rate of constant quality relative to average bitrates, for a small rung. */
async function deltaRate(source: Source): Promise<number | null> {
  const name = curveRung(source.plan);
  const groups = (curve: typeof averageCurve) =>
    changeRungs(source.plan.groups, (rung) => (rung.name === name ? curve(rung) : []));
  const points = async (curve: typeof averageCurve): Promise<RatePoint[]> => encodeRungs(source, groups(curve));
  return bdRate(await points(averageCurve), await points(constantCurve));
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

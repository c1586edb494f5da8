import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VideoCodec } from '../../../shared/media/codecs.ts';
import { runOrThrow } from '../../../test/journey/support/ffmpeg.ts';
import { type Row, row } from '../row.ts';
import { bdRate, type RatePoint } from './bd-rate.ts';
import { type Clip, clipArgs, clips, fileClip } from './clips.ts';
import { decideQuality } from './decide-quality.ts';
import { changeRungs, encodeRungs, openClip, type Source } from './encode-rungs.ts';
import { goalRows } from './goal.ts';
import { makePictures } from './pictures.ts';
import { averageCurve, constantCurve, curveRung } from './rate-curves.ts';

export type LadderChoice = {
  codec: VideoCodec;
  /** names of clips, or paths of files; all clips if there are none */
  wanted: string[];
};

/** Of the encodes of all rungs, since only the measurement leaves some out. */
const mostCpuPercent = 5;

/** Bytes and XPSNR of each rung of the automatic ladder in both of its modes, for clips of different kinds. */
export async function measureLadder({ codec, wanted }: LadderChoice): Promise<Row[]> {
  const ladder = { codec };
  const rows: Row[] = [];
  const rates: number[] = [];
  const shares: number[] = [];
  await eachClip(async ({ name }, file, folder) => {
    const source = await openClip(file, ladder, folder);
    try {
      const average = await encodeRungs(source, source.plan.groups);
      const decided = await decideQuality(source, ladder);
      const constant = await encodeRungs(source, decided.groups);
      for (const one of average.rungs) {
        const same = constant.rungs.find(({ rung }) => rung.name === one.rung.name);
        rows.push(...goalRows(name, one, same));
      }
      const share = (100 * decided.cpuSeconds) / average.cpuSeconds;
      shares.push(share);
      rows.push(row({ name: `${name}: CPU of the measurement`, unit: '%', value: share }));
      const percent = await deltaRate(source);
      if (percent !== null) rates.push(percent);
      if (percent !== null) rows.push(row({ name: `${name}: BD-rate of constant quality`, unit: '%', value: percent }));
      process.stderr.write(`${name} measured\n`);
    } finally {
      await source.store.close();
    }
  }, wanted);
  return [
    ...rows,
    row({ name: 'mean CPU of the measurement', unit: '%', value: mean(shares), atMost: mostCpuPercent }),
    row({ name: 'mean BD-rate of constant quality', unit: '%', value: mean(rates) }),
  ];
}

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** BD-rate of constant quality relative to average bitrates, for a small rung. */
async function deltaRate(source: Source): Promise<number | null> {
  const name = curveRung(source.plan);
  const groups = (curve: typeof averageCurve) =>
    changeRungs(source.plan.groups, (rung) => (rung.name === name ? curve(rung) : []));
  const points = async (curve: typeof averageCurve): Promise<RatePoint[]> =>
    (await encodeRungs(source, groups(curve))).rungs;
  return bdRate(await points(averageCurve), await points(constantCurve));
}

/**
 * Calls `measure` with each clip, its file and a folder for other files, one after the other.
 * @param count of all clips, evenly spread, where none are named
 */
export async function eachClip(
  measure: (clip: Clip, file: string, folder: string) => Promise<void>,
  wanted: LadderChoice['wanted'],
  count?: number,
): Promise<void> {
  const pictures = await mkdtemp(join(tmpdir(), 'bench-ladder-'));
  try {
    const made = clips(await makePictures(pictures));
    const clipOf = (name: string): Clip => made.find((clip) => clip.name === name) ?? fileClip(name);
    const all = count === undefined ? made : made.filter((_, n) => (n * count) % made.length < count);
    for (const clip of wanted.length === 0 ? all : wanted.map(clipOf)) {
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

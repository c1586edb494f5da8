import { readFile } from 'node:fs/promises';
import { ffmpeg } from './ffmpeg.ts';

type Compared = {
  encoded: string;
  source: string;
  /** make the frames of the source those that the encoder got */
  sourceFilters: string;
  /** a new file */
  log: string;
};

/** PSNR of each frame to the frame of the source with the same number, in dB: infinite for equal ones. */
export async function psnrOfFrames({ encoded, source, sourceFilters, log }: Compared): Promise<number[]> {
  const numbered = 'settb=1/1000,setpts=N';
  const graph = `[0:V:0]${numbered}[a];[1:V:0]${sourceFilters},${numbered}[b];[a][b]psnr=stats_file=${log}`;
  const output = ['-fps_mode', 'passthrough', '-f', 'null', '-'];
  await ffmpeg('-copyts', '-i', encoded, '-i', source, '-filter_complex', graph, ...output);
  return [...(await readFile(log, 'utf8')).matchAll(/psnr_avg:(\S+)/g)].map(([, value]) =>
    value === 'inf' ? Number.POSITIVE_INFINITY : Number(value),
  );
}

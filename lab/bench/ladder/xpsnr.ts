import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, constants, platform } from 'node:os';

/** What is used of the filter graphs in the native library of node-av. Results below 0 are errors of FFmpeg. */
type FilterGraph = {
  alloc(): void;
  parsePtr(filters: string, inputs: null, outputs: null): number;
  config(): Promise<number>;
  requestOldest(): Promise<number>;
  free(): void;
};

/**
 * FFmpeg 8 as a native library, which has the filter `xpsnr` that FFmpeg 5.1 lacks. This is the prebuilt library of the
 * npm package node-av without its JavaScript, whose install script would download an ffmpeg from another host.
 */
function nativeLibrary(): { FilterGraph: new () => FilterGraph; Log: { setLevel(level: number): void } } {
  const name = `@seydx/node-av-${platform()}-${arch()}`;
  try {
    return createRequire(import.meta.url)(name);
  } catch (error) {
    throw new Error(`XPSNR needs the optional package ${name}: run "npm ci" without --omit=optional`, { cause: error });
  }
}

/** Of an encode that equals its reference. */
const largestDecibels = 99;

/**
 * XPSNR of the brightness of an encode, in dB: PSNR that is weighted by how visible errors are in each block. Both
 * files have the same size and as many frames.
 */
export async function xpsnr(encoded: string, reference: string, frames: number): Promise<number> {
  // the filter weighs errors by the activity of its first input
  const list = `${encoded}.xpsnr`;
  // frames are compared by their numbers, whatever the clocks of the files
  const read = (file: string): string => `movie=${file},settb=1/1000,setpts=N`;
  await runGraph(
    `${read(encoded)}[encoded];${read(reference)}[reference];[reference][encoded]xpsnr=stats_file=${list},nullsink`,
  );
  return readAverage(await readFile(list, 'utf8'), frames);
}

export function readAverage(list: string, frames: number): number {
  const [, counted, decibels] = /^XPSNR average, (\d+) frames\s+y:\s+(\S+)/m.exec(list) ?? [];
  if (Number(counted) !== frames) throw new Error(`XPSNR compared ${counted} frames and not ${frames}`);
  return decibels === 'inf' ? largestDecibels : Math.min(largestDecibels, Number(decibels));
}

/** AVERROR_EOF, EAGAIN and AV_LOG_ERROR of FFmpeg. */
const endOfFile = -0x20464f45;
const tryAgain = -constants.errno.EAGAIN;
const errorsOnly = 16;

/** Runs a graph without inputs and outputs to its end. */
async function runGraph(filters: string): Promise<void> {
  const { FilterGraph, Log } = nativeLibrary();
  Log.setLevel(errorsOnly);
  const graph = new FilterGraph();
  graph.alloc();
  try {
    for (const status of [graph.parsePtr(filters, null, null), await graph.config()]) {
      if (status < 0) throw new Error(`FFmpeg refuses the graph ${filters} with ${status}`);
    }
    let status = 0;
    while (status >= 0 || status === tryAgain) status = await graph.requestOldest();
    if (status !== endOfFile) throw new Error(`The graph ${filters} ended with ${status}`);
  } finally {
    graph.free();
  }
}

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { measureCpu } from '../../../encoder-task/runtime/child-cpu.ts';
import { makeOutputs } from '../../../test/encoder-task/support/make-outputs.ts';
import { startStore } from '../../../test/encoder-task/support/store.ts';

/** One rendition in a file; `joints` are the first frames of its chunks. */
export type JoinedEncode = { file: string; cpuSeconds: number; bytes: number; joints: number[] };

/**
 * Encodes a source with the workers' jobs by a query with one rung named `v`, and joins the segments as a player would.
 */
export async function encodeJoined(source: string, query: object, folder: string): Promise<JoinedEncode> {
  const store = await startStore();
  try {
    const { result, cpuSeconds } = await measureCpu(() => makeOutputs(store, source, query, folder));
    const track = join(folder, 'video/v');
    const segments = (await readdir(track)).filter((name) => name.endsWith('.m4s')).sort();
    const parts = await Promise.all(['init.mp4', ...segments].map((name) => readFile(join(track, name))));
    const joined = Buffer.concat(parts);
    const file = join(folder, 'joined.mp4');
    await writeFile(file, joined);
    const joints = result.plan.groups[0]!.chunks.slice(1).map(({ startFrame }) => startFrame);
    return { file, cpuSeconds, bytes: joined.length, joints };
  } finally {
    await store.close();
  }
}

import { readFile, rm, writeFile } from 'node:fs/promises';
import { encodeVideo } from '../../../encoder-task/jobs/encode-video.ts';
import { probe } from '../../../encoder-task/jobs/probe.ts';
import type { EncodedTrack, FrameGrid, Rung } from '../../../shared/encode.ts';
import { type JobResult, jobResultSchemas } from '../../../shared/jobs.ts';
import type { ProbeResult } from '../../../shared/probe.ts';
import { contextFor } from './context.ts';
import { planFor } from './plan.ts';
import type { TestStore } from './store.ts';

/** Puts a file into the store as `source` and probes it. */
export async function probeFile(store: TestStore, file: string): Promise<ProbeResult> {
  store.objects.set('source', await readFile(file));
  const sizeBytes = store.objects.get('source')!.length;
  const context = await contextFor(
    store,
    { kind: 'probe', sizeBytes },
    { inputs: ['source'], outputs: ['index.json.gz'] },
  );
  try {
    return jobResultSchemas.probe.parse(await probe(context));
  } finally {
    await rm(context.folder, { recursive: true });
  }
}

export type Encoded = { grid: FrameGrid; frames: number; results: JobResult<'encode-video'>[] };

/** Encodes the probed source chunk by chunk, as separate jobs. */
export async function encodeInChunks(store: TestStore, probed: ProbeResult, rungs: Rung[]): Promise<Encoded> {
  const { source, grid, chunks, frames } = planFor(probed, store.objects.get('index.json.gz')!);
  const results: Encoded['results'] = [];
  for (const chunk of chunks) {
    const first = chunk.startFrame / grid.segmentFrames;
    const count = Math.ceil((chunk.endFrame - chunk.startFrame) / grid.segmentFrames);
    const outputs = rungs.flatMap(({ name }) => [
      `${name}/init.mp4`,
      ...Array.from({ length: count }, (_, n) => `${name}/${String(first + n).padStart(5, '0')}.m4s`),
    ]);
    const spec = { kind: 'encode-video' as const, source, grid, rungs, chunk };
    const context = await contextFor(store, spec, { inputs: ['source'], outputs });
    try {
      results.push(jobResultSchemas['encode-video'].parse(await encodeVideo(context)));
    } finally {
      await rm(context.folder, { recursive: true });
    }
  }
  return { grid, frames, results };
}

/** Writes what a player would put together of a rung: the init segment and all segments of all chunks. */
export async function joinRung(store: TestStore, { results }: Encoded, name: string, path: string): Promise<void> {
  const tracks = results.map((result) => result.tracks.find((track) => track.name === name)!);
  await joinTrack(store, [tracks[0]!.init.file, ...tracks.flatMap(filesOf)], path);
}

export const filesOf = (track: EncodedTrack): string[] => track.segments.map(({ file }) => file);

export async function joinTrack(store: TestStore, files: string[], path: string): Promise<void> {
  await writeFile(path, Buffer.concat(files.map((file) => store.objects.get(file)!)));
}

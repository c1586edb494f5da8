import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { videoGraph } from '../../../encoder-task/ffmpeg/video-graph.ts';
import { encodeVideo } from '../../../encoder-task/jobs/encode-video.ts';
import { chunkTracks, trackFiles } from '../../../functions/job-results/job-files.ts';
import type { Plan } from '../../../functions/planning/encoding-plan.ts';
import { planVideo } from '../../../functions/planning/plan-video.ts';
import type { EncodeGroup } from '../../../functions/planning/video/encode-groups.ts';
import { frameSize } from '../../../functions/planning/video/rungs.ts';
import { type TemplateQuery, templateQuerySchema } from '../../../functions/templates/template-query.ts';
import type { Chunk, Rung } from '../../../shared/protocol/encode-spec.ts';
import type { FrameIndex, ProbeResult } from '../../../shared/protocol/probe-result.ts';
import { contextFor } from '../../../test/encoder-task/support/context.ts';
import { readIndex } from '../../../test/encoder-task/support/plan.ts';
import { probeFile } from '../../../test/encoder-task/support/run-jobs.ts';
import { startStore, type TestStore } from '../../../test/encoder-task/support/store.ts';
import { runOrThrow } from '../../../test/journey/support/ffmpeg.ts';
import { xpsnr } from './xpsnr.ts';

/** A probed clip, with the frames that the encoders of its rungs get, in a file for each frame size. */
export type Source = {
  store: TestStore;
  probe: ProbeResult;
  frames: FrameIndex;
  plan: Plan;
  references: Map<string, string>;
  folder: string;
};
export type Measured = { rung: Rung; bytes: number; decibels: number; kbps: number };

/** None: the starter is encoded by itself, so that each track is made by one group. */
export const capacity = 0.01;

export const ladderQuery = (ladder: object): TemplateQuery =>
  templateQuerySchema.parse({ ladder, outputs: [{ format: 'hls' }] });

/** Probes a clip and plans its ladder. The references are in `folder`; `store` is to be closed. */
export async function openClip(file: string, ladder: object, folder: string): Promise<Source> {
  const store = await startStore();
  const probe = await probeFile(store, file);
  const frames = readIndex(store.objects.get('index.json.gz')!);
  const plan = planVideo({ probe, frames, query: ladderQuery(ladder), capacity });
  const references = new Map<string, string>();
  for (const group of plan.groups) {
    const files = group.rungs.map(({ name }) => join(folder, `${name}.nut`));
    await writeReferences(file, plan, group, files);
    for (const [n, rung] of group.rungs.entries()) references.set(sizeOf(rung), files[n]!);
  }
  return { store, probe, frames, plan, references, folder };
}

function sizeOf(rung: Rung): string {
  const { width, height } = frameSize(rung);
  return `${width}x${height}`;
}

/** The frames of the source as the product's filters give them to the encoder of each rung. */
async function writeReferences(file: string, plan: Plan, group: EncodeGroup, outputs: string[]): Promise<void> {
  const { grid, rungs } = group;
  const graph = { source: plan.source!, grid, chunk: onlyChunk(group), rungs };
  await runOrThrow('ffmpeg', [
    ...['-copyts', '-reinit_filter', '0', '-i', file, '-filter_complex', videoGraph(graph, grid.mode === 'grid')],
    ...outputs.flatMap((output, n) => [
      ...['-map', `[v${n}]`, '-fps_mode', 'passthrough', '-c:v', 'rawvideo', '-f', 'nut', '-y', output],
    ]),
  ]);
}

function onlyChunk({ chunks }: EncodeGroup): Chunk {
  if (chunks.length !== 1) throw new Error('The clip is longer than a chunk');
  return chunks[0]!;
}

/**
 * Encodes groups of rungs of a clip by the worker's job, and measures each rung. Largest rung first. The CPU time is
 * that of the encodes.
 */
export async function encodeRungs(
  source: Source,
  groups: EncodeGroup[],
): Promise<{ rungs: Measured[]; cpuSeconds: number }> {
  const rungs: Measured[] = [];
  let cpuSeconds = 0;
  for (const group of groups) {
    if (group.rungs.length === 0) continue;
    const encoded = await encodeGroup(source, group);
    cpuSeconds += encoded.cpuSeconds;
    rungs.push(...(await Promise.all(encoded.encodes.map((encode) => measureEncode(source, group, encode)))));
  }
  return { rungs: rungs.sort((a, b) => frameSize(b.rung).height - frameSize(a.rung).height), cpuSeconds };
}

/** The groups with other rungs in the place of each rung. */
export const changeRungs = (groups: EncodeGroup[], change: (rung: Rung) => Rung[]): EncodeGroup[] =>
  groups.map((group) => ({ ...group, rungs: group.rungs.flatMap(change) }));

type Encode = { rung: Rung; media: Buffer; bytes: number };

async function encodeGroup(
  { store, plan }: Source,
  group: EncodeGroup,
): Promise<{ encodes: Encode[]; cpuSeconds: number }> {
  const { grid, rungs } = group;
  const chunk = onlyChunk(group);
  const spec = { kind: 'encode-video' as const, source: plan.source!, grid, rungs, chunk };
  const outputs = trackFiles(chunkTracks(group, chunk.index));
  const context = await contextFor(store, spec, { inputs: ['source'], outputs });
  try {
    const { tracks, cpuSeconds } = await encodeVideo(context);
    const encodes = rungs.map((rung) => {
      const { init, segments } = tracks.find(({ name }) => name === rung.name)!;
      const media = Buffer.concat([init, ...segments].map(({ file }) => store.objects.get(file)!));
      return { rung, media, bytes: segments.reduce((sum, segment) => sum + segment.bytes, 0) };
    });
    return { encodes, cpuSeconds };
  } finally {
    await rm(context.folder, { recursive: true });
  }
}

async function measureEncode(
  { references, folder }: Source,
  group: EncodeGroup,
  { rung, media, bytes }: Encode,
): Promise<Measured> {
  const file = join(folder, `${rung.name}.mp4`);
  await writeFile(file, media);
  const { startFrame, endFrame } = onlyChunk(group);
  const frames = endFrame - startFrame;
  const decibels = await xpsnr(file, references.get(sizeOf(rung))!, frames);
  const seconds = (frames * group.grid.frameRate.den) / group.grid.frameRate.num;
  return { rung, bytes, decibels, kbps: (bytes * 8) / 1000 / seconds };
}

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { encodeAudio } from '../../../encoder-task/jobs/encode-audio.ts';
import { encodeVideo } from '../../../encoder-task/jobs/encode-video.ts';
import type { JobContext } from '../../../encoder-task/jobs/job-context.ts';
import { packageTracks } from '../../../encoder-task/jobs/package.ts';
import { makeThumbnails } from '../../../encoder-task/jobs/thumbnails.ts';
import type { Clip } from '../../../functions/contracts/fields/source-options.ts';
import {
  audioTracks,
  chunkTracks,
  packageFiles,
  thumbnailFiles,
  trackFiles,
} from '../../../functions/job-results/job-files.ts';
import { joinParts, type PackagedTrack, renditionProperties } from '../../../functions/job-results/packaged-track.ts';
import { mediaPlaylist } from '../../../functions/packaging/media-playlist.ts';
import { multivariantPlaylist } from '../../../functions/packaging/multivariant-playlist.ts';
import { type OutputContents, segmentedOutput } from '../../../functions/packaging/output-contents.ts';
import type { Plan, PlannedOutput } from '../../../functions/planning/encoding-plan.ts';
import { narrowToClip } from '../../../functions/planning/narrow-to-clip.ts';
import { planVideo } from '../../../functions/planning/plan-video.ts';
import { plannedTracks } from '../../../functions/planning/video/track-chunks.ts';
import { sourceInput } from '../../../functions/planning/video/video-source.ts';
import { templateQuerySchema } from '../../../functions/templates/template-query.ts';
import { renditionRange } from '../../../shared/media/video-range.ts';
import type { EncodedTrack } from '../../../shared/protocol/encode-spec.ts';
import type { JobResult, JobSpec } from '../../../shared/protocol/jobs.ts';
import type { ProbeResult } from '../../../shared/protocol/probe-result.ts';
import { contextFor } from './context.ts';
import { readIndex } from './plan.ts';
import { probeFile } from './run-jobs.ts';
import type { TestStore } from './store.ts';

/** A finished video in a folder, with its plan, and what the probe found in all of the file. */
export type Outputs = { folder: string; plan: Plan; probe: ProbeResult };

/** Runs all jobs of a file, or of a clip of it, without the service, and writes the files for players to `folder`. */
export async function makeOutputs(
  store: TestStore,
  file: string,
  query: object,
  folder: string,
  clip?: Clip,
): Promise<Outputs> {
  const probe = await probeFile(store, file);
  const index = store.objects.get('index.json.gz');
  const frames = index ? readIndex(index) : null;
  const source = clip ? narrowToClip({ probe, frames }, clip) : { probe, frames };
  const plan = planVideo({ ...source, query: templateQuerySchema.parse(query), capacity: 0.01 });
  const tracks = new Map<string, PackagedTrack>();
  const encoded: EncodedTrack[][][] = [];
  for (const group of plan.groups) {
    const results: EncodedTrack[][] = [];
    for (const chunk of group.chunks) {
      const spec = { kind: 'encode-video' as const, source: plan.source!, grid: group.grid, rungs: group.rungs, chunk };
      const places = placesOf(trackFiles(chunkTracks(group, chunk.index)), 'video/');
      results.push((await runJob(store, spec, encodeVideo, ['source'], places)).tracks);
    }
    encoded.push(results);
  }
  for (const { rung, grid, chunks } of plannedTracks(plan)) {
    const ofRung = ({ name }: EncodedTrack): boolean => name === rung.name;
    const parts = chunks.map(({ group, chunk }) => ({
      folder: 'video/',
      track: encoded[group]![chunk.index]!.find(ofRung)!,
    }));
    tracks.set(rung.name, {
      ...joinParts(rung.name, parts),
      kind: 'video',
      frameRate: grid.frameRate,
      width: rung.pad?.width ?? rung.width,
      height: rung.pad?.height ?? rung.height,
      frameCount: chunks.at(-1)!.chunk.endFrame,
      sampleAspectRatio: rung.sampleAspectRatio,
      videoRange: renditionRange(plan.source!, rung),
    });
  }
  for (const rendition of plan.audio) {
    const spec = {
      kind: 'encode-audio' as const,
      rendition,
      ...sourceInput(source.probe),
      originSeconds: plan.originSeconds,
      durationSeconds: plan.durationSeconds,
    };
    const places = placesOf(trackFiles(audioTracks(rendition, plan.durationSeconds)), 'audio/');
    const { track } = await runJob(store, spec, encodeAudio, ['source'], places);
    const facts = { kind: 'audio' as const, ...renditionProperties(rendition) };
    tracks.set(rendition.name, { ...joinParts(rendition.name, [{ folder: 'audio/', track }]), ...facts });
  }
  if (plan.thumbnails) {
    await runJob(store, plan.thumbnails, makeThumbnails, ['source'], placesOf(thumbnailFiles(plan), 'thumbnails/'));
  }
  for (const output of plan.outputs) await makeOutput(store, plan, output, tracks);
  for (const [key, bytes] of store.objects) {
    if (!/^(video|audio|thumbnails|outputs)\//.test(key)) continue;
    await mkdir(dirname(join(folder, key)), { recursive: true });
    await writeFile(join(folder, key), bytes);
  }
  return { folder, plan, probe };
}

const placesOf = (names: string[], prefix: string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, `${prefix}${name}`]));

async function runJob<Spec extends JobSpec, Result>(
  store: TestStore,
  spec: Spec,
  job: (context: JobContext<Spec>) => Promise<Result>,
  inputs: string[],
  places: Record<string, string>,
): Promise<Result> {
  const context = await contextFor(store, spec, { inputs, outputs: places });
  try {
    return await job(context);
  } finally {
    await rm(context.folder, { recursive: true });
  }
}

async function makeOutput(
  store: TestStore,
  plan: Plan,
  output: PlannedOutput,
  tracks: Map<string, PackagedTrack>,
): Promise<void> {
  const folder = `outputs/${output.name}/`;
  let manifests: OutputContents['manifests'];
  if (output.container === 'fmp4') {
    ({ manifests } = segmentedOutput({
      folder,
      planned: output,
      tracks,
      durationSeconds: plan.durationSeconds,
      captions: [],
    }));
  } else if (output.container === 'mp4') {
    await remux(store, plan, output, output.video[0], tracks, folder);
    manifests = [];
  } else {
    manifests = await transportStream(store, plan, output, tracks, folder);
  }
  for (const { key, body } of manifests) store.objects.set(key, Buffer.from(body));
}

async function transportStream(
  store: TestStore,
  plan: Plan,
  output: PlannedOutput,
  tracks: Map<string, PackagedTrack>,
  folder: string,
): Promise<OutputContents['manifests']> {
  const muxed: PackagedTrack[] = [];
  for (const name of output.video) {
    const { codecs, segments } = await remux(store, plan, output, name, tracks, `${folder}${name}/`);
    const { init: _, ...facts } = tracks.get(name)!;
    const placed = segments.map(({ file, ...segment }) => ({ ...segment, path: `${name}/${file}` }));
    muxed.push({ ...facts, codecs, timescale: 1000, segments: placed } as PackagedTrack);
  }
  const path = ({ name }: { name: string }): string => `${name}.m3u8`;
  const contentType = '';
  return [
    { key: `${folder}master.m3u8`, body: multivariantPlaylist({ video: muxed, audio: [] }, path, path), contentType },
    ...muxed.map((track) => ({ key: `${folder}${path(track)}`, body: mediaPlaylist(track), contentType })),
  ];
}

async function remux(
  store: TestStore,
  plan: Plan,
  output: PlannedOutput,
  videoName: string | undefined,
  tracks: Map<string, PackagedTrack>,
  folder: string,
): Promise<JobResult<'package'>> {
  const inputs: string[] = [];
  const place = (name: string): { name: string; parts: number } => {
    const { init, segments } = tracks.get(name)!;
    for (const [n, { path }] of [init, ...segments].entries()) {
      store.objects.set(`${name}/${n}`, store.objects.get(path)!);
      inputs.push(`${name}/${n}`);
    }
    return { name, parts: segments.length + 1 };
  };
  const spec = {
    kind: 'package' as const,
    format: output.container === 'ts' ? ('hls-ts' as const) : ('mp4' as const),
    faststart: output.faststart,
    segmentSeconds: output.segmentSeconds,
    durationSeconds: plan.durationSeconds,
    video: videoName === undefined ? null : { ...place(videoName), frameCount: tracks.get(videoName)!.frameCount! },
    audio: output.audio.slice(0, 1).map((name) => {
      const { language = 'und', roles } = tracks.get(name)!;
      return { ...place(name), language, roles };
    }),
  };
  return runJob(store, spec, packageTracks, inputs, placesOf(packageFiles(output, plan.durationSeconds), folder));
}

import { readFile, rm, writeFile } from 'node:fs/promises';
import { encodeAudio } from '../../../encoder-task/jobs/encode-audio.ts';
import { encodeVideo } from '../../../encoder-task/jobs/encode-video.ts';
import { packageTracks } from '../../../encoder-task/jobs/package.ts';
import { probe } from '../../../encoder-task/jobs/probe.ts';
import { trackFiles } from '../../../functions/job-results/job-files.ts';
import type { Watermark } from '../../../shared/media/watermark.ts';
import type { AskedTracks } from '../../../shared/protocol/asked-tracks.ts';
import type { EncodedTrack, FrameGrid, Rung } from '../../../shared/protocol/encode-spec.ts';
import {
  type EncodeAudioSpec,
  type JobResult,
  jobResultSchemas,
  type PackageSpec,
} from '../../../shared/protocol/jobs.ts';
import type { ProbeResult } from '../../../shared/protocol/probe-result.ts';
import { contextFor } from './context.ts';
import { planFor } from './plan.ts';
import type { TestStore } from './store.ts';

/** Puts a file into the store as `source` and probes it. */
export async function probeFile(store: TestStore, file: string, tracks?: AskedTracks): Promise<ProbeResult> {
  store.objects.set('source', await readFile(file));
  const sizeBytes = store.objects.get('source')!.length;
  const context = await contextFor(
    store,
    { kind: 'probe', sizeBytes, ...(tracks && { tracks }) },
    { inputs: ['source'], outputs: ['index.json.gz'] },
  );
  try {
    return jobResultSchemas.probe.parse(await probe(context));
  } finally {
    await rm(context.folder, { recursive: true });
  }
}

export type Encoded = { grid: FrameGrid; frames: number; results: JobResult<'encode-video'>[] };

/**
 * Encodes the probed source in chunks, one job each. The output clock starts at `originSeconds`, by default with the
 * video. A watermark is the object `watermark`.
 */
export async function encodeInChunks(
  store: TestStore,
  probed: ProbeResult,
  rungs: Rung[],
  { originSeconds, watermark }: { originSeconds?: number; watermark?: Watermark } = {},
): Promise<Encoded> {
  const planned = planFor(probed, store.objects.get('index.json.gz')!, originSeconds);
  const { grid, chunks, frames } = planned;
  const source = { ...planned.source, ...(watermark && { watermark }) };
  const inputs = ['source', ...(watermark ? ['watermark'] : [])];
  const results: Encoded['results'] = [];
  for (const chunk of chunks) {
    const first = chunk.startFrame / grid.segmentFrames;
    const count = Math.ceil((chunk.endFrame - chunk.startFrame) / grid.segmentFrames);
    const segments = Array.from({ length: count }, (_, n) => first + n);
    const outputs = trackFiles({ names: rungs.map(({ name }) => name), segments });
    const spec = { kind: 'encode-video' as const, source, grid, rungs, chunk };
    const context = await contextFor(store, spec, { inputs, outputs });
    try {
      results.push(jobResultSchemas['encode-video'].parse(await encodeVideo(context)));
    } finally {
      await rm(context.folder, { recursive: true });
    }
  }
  return { grid, frames, results };
}

/** Writes a rung as a player reads it: the init segment and the segments of all chunks. */
export async function joinRung(store: TestStore, { results }: Encoded, name: string, path: string): Promise<void> {
  const tracks = results.map((result) => result.tracks.find((track) => track.name === name)!);
  await joinTrack(store, [tracks[0]!.init.file, ...tracks.flatMap(filesOf)], path);
}

export const filesOf = (track: EncodedTrack): string[] => track.segments.map(({ file }) => file);

export async function joinTrack(store: TestStore, files: string[], path: string): Promise<void> {
  await writeFile(path, Buffer.concat(files.map((file) => store.objects.get(file)!)));
}

/** Encodes one audio track of the source to the store, under the name of the rendition. */
export async function encodeTrack(
  store: TestStore,
  spec: Omit<EncodeAudioSpec, 'kind' | 'formatName'> & { formatName?: string },
): Promise<JobResult<'encode-audio'>> {
  const { name, segmentSeconds } = spec.rendition;
  const count = Math.ceil((spec.durationSeconds + 10) / segmentSeconds) + 1;
  const outputs = trackFiles({ names: [name], segments: Array.from({ length: count }, (_, n) => n) });
  const context = await contextFor(
    store,
    { kind: 'encode-audio', formatName: 'any', ...spec },
    { inputs: ['source'], outputs },
  );
  try {
    return jobResultSchemas['encode-audio'].parse(await encodeAudio(context));
  } finally {
    await rm(context.folder, { recursive: true });
  }
}

/** Packages tracks of the store, each a list of its init segment and segments. */
export async function packageFiles(
  store: TestStore,
  spec: Pick<PackageSpec, 'format' | 'segmentSeconds' | 'durationSeconds'>,
  tracks: { video?: { files: string[]; frameCount: number }; audio?: { files: string[]; language: string }[] },
): Promise<JobResult<'package'>> {
  const place = (name: string, files: string[]): string[] =>
    files.map((file, n) => {
      store.objects.set(`${name}/${n}`, store.objects.get(file)!);
      return `${name}/${n}`;
    });
  const inputs = [
    ...(tracks.video ? place('video-in', tracks.video.files) : []),
    ...(tracks.audio ?? []).flatMap(({ files }, n) => place(`audio-in-${n}`, files)),
  ];
  const outputs =
    spec.format === 'mp4'
      ? ['packaged/file.mp4']
      : Array.from({ length: 50 }, (_, n) => `${String(n).padStart(5, '0')}.ts`);
  const context = await contextFor(
    store,
    {
      kind: 'package',
      faststart: true,
      ...spec,
      video: tracks.video
        ? { name: 'video-in', parts: tracks.video.files.length, frameCount: tracks.video.frameCount }
        : null,
      audio: (tracks.audio ?? []).map(({ files, language }, n) => ({
        name: `audio-in-${n}`,
        parts: files.length,
        language,
      })),
    },
    { inputs, outputs },
  );
  try {
    return jobResultSchemas.package.parse(await packageTracks(context));
  } finally {
    await rm(context.folder, { recursive: true });
  }
}

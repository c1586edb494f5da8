import { rm } from 'node:fs/promises';
import { encodeAudio } from '../../../encoder-task/jobs/encode-audio.ts';
import { encodeVideo } from '../../../encoder-task/jobs/encode-video.ts';
import type { JobContext } from '../../../encoder-task/jobs/job-context.ts';
import { makeThumbnails } from '../../../encoder-task/jobs/thumbnails.ts';
import { thumbnailFiles, trackFiles } from '../../../functions/job-results/job-files.ts';
import { askedTracks } from '../../../functions/planning/audio/choose-tracks.ts';
import type { Plan } from '../../../functions/planning/encoding-plan.ts';
import { planVideo } from '../../../functions/planning/plan-video.ts';
import type { EncodeGroup } from '../../../functions/planning/video/encode-groups.ts';
import { plannedTracks } from '../../../functions/planning/video/track-chunks.ts';
import { sourceInput } from '../../../functions/planning/video/video-source.ts';
import { templateQuerySchema } from '../../../functions/templates/template-query.ts';
import type { AudioRendition, EncodedTrack } from '../../../shared/protocol/encode-spec.ts';
import type { JobResult, JobSpec } from '../../../shared/protocol/jobs.ts';
import type { ProbeResult } from '../../../shared/protocol/probe-result.ts';
import { contextFor } from './context.ts';
import { readIndex } from './plan.ts';
import { filesOf, probeFile } from './run-jobs.ts';
import type { TestStore } from './store.ts';

export type Made = {
  probed: ProbeResult;
  plan: Plan;
  /** by name of the rung: its chunks in order, as they were encoded */
  chunks: Map<string, EncodedTrack[]>;
  /** by name of the rung: init segment and segments of all chunks */
  video: Map<string, string[]>;
  audio: Map<string, string[]>;
  /** warnings of the encodes */
  warnings: string[];
};

/** None: the starter is encoded by itself, so that each track is made by one group. */
const noCapacity = 0.01;

/** Probes a file, plans it like the service, and runs every job of the plan except packaging. */
export async function runPlan(store: TestStore, file: string, query: unknown, capacity = noCapacity): Promise<Made> {
  const parsed = templateQuerySchema.parse(query);
  const probed = await probeFile(store, file, askedTracks(parsed.tracks));
  const gzippedIndex = store.objects.get('index.json.gz');
  const frames = probed.video && gzippedIndex ? readIndex(gzippedIndex) : null;
  const plan = planVideo({ probe: probed, frames, query: parsed, capacity });
  const made: Made = { probed, plan, chunks: new Map(), video: new Map(), audio: new Map(), warnings: [] };
  const encoded: EncodedTrack[][][] = [];
  for (const group of plan.groups) encoded.push(await encodeGroup(store, plan, group, made));
  for (const { rung, chunks } of plannedTracks(plan)) {
    const ofRung = ({ name }: EncodedTrack): boolean => name === rung.name;
    const tracks = chunks.map(({ group, chunk }) => encoded[group]![chunk.index]!.find(ofRung)!);
    made.chunks.set(rung.name, tracks);
    made.video.set(rung.name, [tracks[0]!.init.file, ...tracks.flatMap(filesOf)]);
  }
  for (const rendition of plan.audio) await encodeRendition(store, rendition, made);
  const { thumbnails } = plan;
  if (thumbnails && !('image' in thumbnails)) {
    await runJob(store, thumbnails, thumbnailFiles(plan), makeThumbnails);
  }
  return made;
}

async function encodeGroup(
  store: TestStore,
  plan: Plan,
  { grid, rungs, chunks }: EncodeGroup,
  made: Made,
): Promise<EncodedTrack[][]> {
  const encoded: EncodedTrack[][] = [];
  for (const chunk of chunks) {
    const first = chunk.startFrame / grid.segmentFrames;
    const count = Math.ceil((chunk.endFrame - chunk.startFrame) / grid.segmentFrames);
    const outputs = trackFiles({ names: rungs.map(({ name }) => name), segments: numbers(first, count) });
    const spec = { kind: 'encode-video' as const, source: plan.source!, grid, rungs, chunk };
    const { tracks, warnings = [] } = await runJob(store, spec, outputs, encodeVideo);
    made.warnings.push(...warnings);
    encoded.push(tracks);
  }
  return encoded;
}

async function encodeRendition(store: TestStore, rendition: AudioRendition, made: Made): Promise<void> {
  const { probed, plan } = made;
  const { originSeconds, durationSeconds } = plan;
  const count = Math.ceil((durationSeconds + 10) / rendition.segmentSeconds) + 1;
  const outputs = trackFiles({ names: [rendition.name], segments: numbers(0, count) });
  const clock = sourceInput(probed);
  const spec = { kind: 'encode-audio' as const, rendition, ...clock, originSeconds, durationSeconds };
  const { track, warnings = [] } = await runJob(store, spec, outputs, encodeAudio);
  made.warnings.push(...warnings);
  made.audio.set(rendition.name, [track.init.file, ...filesOf(track)]);
}

const numbers = (first: number, count: number): number[] => Array.from({ length: count }, (_, n) => first + n);

async function runJob<Spec extends JobSpec, Result extends JobResult>(
  store: TestStore,
  spec: Spec,
  outputs: string[],
  job: (context: JobContext<Spec>) => Promise<Result>,
): Promise<Result> {
  const context = await contextFor(store, spec, { inputs: ['source'], outputs });
  try {
    return await job(context);
  } finally {
    await rm(context.folder, { recursive: true });
  }
}

import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { encodeVideo } from '../../../encoder-task/jobs/encode-video.ts';
import { measureCpu } from '../../../encoder-task/runtime/child-cpu.ts';
import { chunkTracks, trackFiles } from '../../../functions/job-results/job-files.ts';
import { planTracks } from '../../../functions/planning/plan-tracks.ts';
import { chunkRanges } from '../../../functions/planning/video/chunks.ts';
import { encodeGroups } from '../../../functions/planning/video/encode-groups.ts';
import { isAheadChunk, type PhasedGroup, phasedGroups } from '../../../functions/planning/video/phases.ts';
import { rungGroups } from '../../../functions/planning/video/rung-groups.ts';
import { sourceContent } from '../../../functions/planning/video/source-content.ts';
import { chooseStarter } from '../../../functions/planning/video/starter.ts';
import { videoSource } from '../../../functions/planning/video/video-source.ts';
import { templateQuerySchema } from '../../../functions/templates/template-query.ts';
import { contextFor } from '../../../test/encoder-task/support/context.ts';
import { readIndex } from '../../../test/encoder-task/support/plan.ts';
import { probeFile } from '../../../test/encoder-task/support/run-jobs.ts';
import { startStore } from '../../../test/encoder-task/support/store.ts';
import { keepTwoMinutes } from '../playback/long-sources.ts';
import { type Row, row } from '../row.ts';
import { keepSourceVideo } from './source-video.ts';

/** The length of the video whose encode is compared. The sources are parts of it. */
const lengthSeconds = 600;
const cores = 2;
/** Long chunks are measured by one of this length: a frame of theirs costs the same. */
const usualSeconds = 30;
const ladders = {
  'automatic ladder': { codec: 'h264' },
  '540p ladder': { codec: 'h264', max_height: 540 },
};

type Cost = { cpuSeconds: number; bytes: number };

/**
 * What it costs to encode the starter before the other rungs of ten minutes of 1080p on two cores: the CPU time and
 * bytes of all rungs beside those of one group with all rungs. User and system time, which other load changes little.
 * A source with more bits takes longer to decode, and its starter is longer alone.
 */
export async function measureStarterCost(file?: string): Promise<Row[]> {
  const sources = file
    ? { [basename(file)]: file }
    : { '2 Mbit/s': await keepTwoMinutes(), '12 Mbit/s': await keepSourceVideo() };
  const rows: Row[] = [];
  for (const [sourceName, source] of Object.entries(sources)) {
    for (const [ladderName, ladder] of Object.entries(ladders)) {
      const { early, whole } = await costsOf(source, ladder);
      const name = `starter first, ${ladderName}, source of ${sourceName}`;
      const ofCpu = { value: early.cpuSeconds, baseline: whole.cpuSeconds, unit: 's', ratioAtMost: 1.03 };
      rows.push(
        row({ name: `${name}: CPU time of 10 min`, ...ofCpu }),
        row({
          name: `${name}: bytes of 10 min`,
          value: early.bytes,
          baseline: whole.bytes,
          unit: '',
          ratioAtMost: 1.01,
        }),
      );
    }
  }
  return rows;
}

async function costsOf(file: string, ladder: object): Promise<{ early: Cost; whole: Cost }> {
  const store = await startStore();
  try {
    const probe = await probeFile(store, file);
    const track = probe.video!;
    const indexed = { track, frames: readIndex(store.objects.get('index.json.gz')!), formatName: probe.formatName };
    const query = templateQuerySchema.parse({ ladder, outputs: [{ format: 'hls' }] });
    const { variants, outputs } = planTracks({ video: track, audio: [] }, query);
    const [group] = rungGroups(track, variants.video, { originSeconds: 0, durationSeconds: probe.durationSeconds });
    const frameRate = group!.grid.frameRate.num / group!.grid.frameRate.den;
    const long = { ...group!, frameCount: lengthSeconds * frameRate };
    const { pixels, stretches } = sourceContent(track, indexed.frames);
    const repeats = Math.round(lengthSeconds / probe.durationSeconds);
    const content = { pixels, stretches: Array.from({ length: repeats }, () => stretches).flat() };
    const chosen = chooseStarter(outputs, variants.video);
    const phased = (starter: typeof chosen) =>
      phasedGroups([long], {
        starter,
        targetChunkSeconds: query.chunk_duration,
        capacity: cores,
        workers: cores,
        content,
      });

    const measured = new Map<string, Cost>();
    const costOf = async (one: PhasedGroup, start: number, end: number): Promise<Cost> => {
      // The short first chunks are measured as they are, the others by one of a usual length.
      const isShort = one.phase === 0 && chosen && isAheadChunk({ startFrame: start }, one.grid, chosen);
      const frames = isShort ? end - start : usualSeconds * frameRate;
      const startFrame = isShort ? start : 0;
      const key = JSON.stringify([one.rungs.map(({ name }) => name), startFrame, frames]);
      const known = measured.get(key);
      const cost = known ?? (await encode({ ...one, startFrame, endFrame: startFrame + frames }));
      measured.set(key, cost);
      const times = (end - start) / frames;
      return { cpuSeconds: cost.cpuSeconds * times, bytes: cost.bytes * times };
    };
    const encode = async ({ followed: _, ...one }: PhasedGroup): Promise<Cost> => {
      const range = { ...one, startsShort: false, targetChunkSeconds: 300, frameCount: group!.frameCount };
      const encoded = encodeGroups(indexed, [{ ...range, index: 0 }])[0]!;
      const { grid, rungs, chunks } = encoded;
      const spec = { kind: 'encode-video' as const, source: videoSource(track, probe), grid, rungs, chunk: chunks[0]! };
      const context = await contextFor(store, spec, {
        inputs: ['source'],
        outputs: trackFiles(chunkTracks(encoded, 0)),
      });
      try {
        const { result, cpuSeconds } = await measureCpu(() => encodeVideo(context));
        const bytes = result.tracks
          .flatMap(({ segments }) => segments)
          .reduce((sum, segment) => sum + segment.bytes, 0);
        return { cpuSeconds, bytes };
      } finally {
        await rm(context.folder, { recursive: true });
      }
    };
    const total = async (groups: PhasedGroup[]): Promise<Cost> => {
      const sum = { cpuSeconds: 0, bytes: 0 };
      for (const one of groups) {
        for (const [start, end] of chunkRanges(one.grid, one)) {
          const { cpuSeconds, bytes } = await costOf(one, start, end);
          sum.cpuSeconds += cpuSeconds;
          sum.bytes += bytes;
        }
      }
      return sum;
    };
    return { early: await total(phased(chosen)), whole: await total(phased(null)) };
  } finally {
    await store.close();
  }
}

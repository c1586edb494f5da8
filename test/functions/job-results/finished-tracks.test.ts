import { SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, test } from 'vitest';
import { newUlid } from '../../../functions/common/ids.ts';
import { finishedTracks } from '../../../functions/job-results/finished-tracks.ts';
import type { Plan } from '../../../functions/planning/encoding-plan.ts';
import { planVideo } from '../../../functions/planning/plan-video.ts';
import { plannedTracks } from '../../../functions/planning/video/track-chunks.ts';
import { templateQuerySchema } from '../../../functions/templates/template-query.ts';
import type { Chunk } from '../../../shared/protocol/encode-spec.ts';
import { finishJob } from '../../fixtures/records/store-encoded-video.ts';
import { useTable } from '../../fixtures/use-table.ts';
import { evenIndex, probeOf, videoTrack } from '../planning/source-fixture.ts';

useTable();
mockClient(SFNClient);

const track = videoTrack({ frameCount: 30 * 120 });
const plan = planVideo({
  probe: probeOf({ video: track }),
  frames: evenIndex(track),
  query: templateQuerySchema.parse({ ladder: { codec: 'h264', max_height: 480 }, outputs: [{ format: 'hls' }] }),
  capacity: 100,
});

type Change = (chunk: { group: number; index: number }) => 'missing' | 'shifted' | undefined;

/** Stores the results of the encode jobs of the plan. */
async function encoded(change: Change = () => undefined): Promise<string> {
  const videoUlid = newUlid();
  for (const { index: group, rungs, grid, chunks } of plan.groups) {
    for (const chunk of chunks) {
      const changed = change({ group, index: chunk.index });
      if (changed === 'missing') continue;
      const id = { videoUlid, planNumber: 1, kind: 'encode-video' as const, group, index: chunk.index };
      const tracks = rungs.map(({ name }) => ({
        name,
        codecs: 'avc1.64001e',
        timescale: grid.timescale,
        init: { file: `${name}/init.mp4`, bytes: 700, sha256: '0'.repeat(64) },
        segments: segmentsOf(name, chunk, changed === 'shifted' ? grid.ticksPerFrame : 0),
      }));
      await finishJob(id, { tracks, frames: chunk.endFrame - chunk.startFrame, cpuSeconds: 1 });
    }
  }
  return videoUlid;
}

function segmentsOf(name: string, { startFrame, endFrame }: Chunk, shiftTicks: number) {
  const { segmentFrames, ticksPerFrame } = plan.groups[0]!.grid;
  const count = Math.ceil((endFrame - startFrame) / segmentFrames);
  return Array.from({ length: count }, (_, n) => {
    const start = startFrame + n * segmentFrames;
    const frames = Math.min(segmentFrames, endFrame - start);
    const file = `${name}/${String(start / segmentFrames).padStart(5, '0')}.m4s`;
    return { file, bytes: 1000, startTicks: start * ticksPerFrame + shiftTicks, durationTicks: frames * ticksPerFrame };
  });
}

const finished = (videoUlid: string, of: Plan = plan) => finishedTracks(videoUlid, 1, of);

test('the chunks of a rung in several groups are one track in the order of their frames', async () => {
  const tracks = await finished(await encoded());
  expect([...tracks.keys()].toSorted()).toEqual(['240p', '360p', '480p']);
  for (const { segments, frameCount, name } of tracks.values()) {
    expect(frameCount).toBe(3600);
    expect(segments.map(({ startTicks }) => startTicks)).toEqual(segments.map((_, n) => n * 6 * 30_000));
    expect(segments).toHaveLength(20);
    const folders = new Set(segments.map(({ path }) => path.slice(0, path.indexOf(`${name}/`))));
    expect(folders.size).toBe(plannedTracks(plan).find(({ rung }) => rung.name === name)!.chunks.length);
  }
  expect(tracks.get('360p')!.init.path).toContain('encode-video-00-00000');
  expect(tracks.get('480p')!.init.path).toContain('encode-video-01-00000');
});

test('a missing chunk is missing in the tracks that its group encodes, and in no other', async () => {
  const ofStarter = await finished(
    await encoded(({ group, index }) => (group + index === 1 && group === 0 ? 'missing' : undefined)),
  );
  expect([...ofStarter.keys()].toSorted()).toEqual(['240p', '480p']);
  const ofAll = await finished(await encoded(({ group }) => (group === 2 ? 'missing' : undefined)));
  expect(ofAll.size).toBe(0);
});

test('a gap between two groups is refused', async () => {
  const videoUlid = await encoded(({ group, index }) => (group === 2 && index === 0 ? 'shifted' : undefined));
  await expect(finished(videoUlid)).rejects.toMatchObject({ code: 'OUTPUT_MISMATCH' });
});

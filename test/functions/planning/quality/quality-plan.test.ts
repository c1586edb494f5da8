import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../../functions/planning/encoding-plan.ts';
import { estimatedCpuSeconds } from '../../../../functions/planning/estimated-cpu-seconds.ts';
import { planVideo } from '../../../../functions/planning/plan-video.ts';
import { decidedPlan, keptTracks } from '../../../../functions/planning/quality/decided-plan.ts';
import { qualityCpuSeconds } from '../../../../functions/planning/quality/quality-plan.ts';
import { templateQuerySchema } from '../../../../functions/templates/template-query.ts';
import type { VideoTrack } from '../../../../shared/protocol/probe-result.ts';
import { evenIndex, probeOf, videoTrack } from '../source-fixture.ts';

type Options = { ladder?: object; outputs?: object[]; changes?: Partial<VideoTrack> };

function plan(seconds: number, { ladder, outputs = [{ format: 'hls' }], changes }: Options = {}): Plan {
  const video = videoTrack({ frameCount: 30 * seconds, ...changes });
  const query = templateQuerySchema.parse({ ladder: { codec: 'h264', mode: 'quality', ...ladder }, outputs });
  return planVideo({ probe: probeOf({ video }), frames: evenIndex(video), query, capacity: 100 });
}

const encodeSeconds = ({ groups }: Plan) =>
  groups.reduce((sum, { chunks }) => sum + (chunks.at(-1)!.endFrame - chunks[0]!.startFrame), 0) / 30;

describe('a ladder of constant quality', () => {
  test('is measured in a few short samples that start at key frames of the source', () => {
    const { quality } = plan(1200);
    const { trials } = quality!.spec;
    expect(trials.map(({ rung }) => rung.name)).toEqual(['240p', '360p', '480p', '720p', '1080p']);
    const crfs = { finerCrf: 20, firstCrf: 29, coarserCrf: 38 };
    expect(trials.at(-1)).toMatchObject({ ...crfs, targetXpsnrDb: 40.1, capBps: 5_000_000 });
    const { samples } = quality!.spec;
    expect(samples).toHaveLength(5);
    for (const [index, { startFrame, endFrame, startPts, endPts, seekSeconds, untilByte }] of samples.entries()) {
      expect(startFrame % 60).toBe(0);
      expect(endFrame - startFrame).toBe(samples[0]!.endFrame - samples[0]!.startFrame);
      expect(Math.abs(startFrame - (index + 0.5) * 7200)).toBeLessThan(120);
      expect([startPts, endPts]).toEqual([startFrame * 512 - 256, endFrame * 512 - 256]);
      expect(seekSeconds).toBeCloseTo(startFrame / 30, 1);
      expect(untilByte).toBe((endFrame + 1) * 1000);
    }
    const sampleFrames = samples[0]!.endFrame - samples[0]!.startFrame;
    expect(sampleFrames).toBeGreaterThan(40);
    expect(sampleFrames).toBeLessThanOrEqual(60);
    expect(quality!.rungs).toMatchObject([
      { name: '1080p', tracks: ['1080p'], width: 1920, height: 1080, capBps: 5_000_000 },
      { name: '720p' },
      { name: '480p' },
      { name: '360p' },
      { name: '240p', capBps: 400_000 },
    ]);
  });

  test('of a shorter video is measured with three of its rungs, and none that is larger than 1080p', () => {
    const names = (planned: Plan) => planned.quality!.spec.trials.map(({ rung }) => rung.name);
    expect(names(plan(45))).toEqual(['240p', '480p', '1080p']);
    const changes = { width: 3840, height: 2160 };
    expect(names(plan(600, { changes, ladder: { max_height: 2160 } })).at(-1)).toBe('1080p');
  });

  test.each([45, 60, 600, 7200])('of %s s is measured in at most 5 percent of the estimated CPU time', (duration) => {
    const planned = plan(duration);
    const { samples } = planned.quality!.spec;
    expect(samples.length).toBeGreaterThan(0);
    const measured = samples.reduce((sum, { startFrame, endFrame }) => sum + (endFrame - startFrame), 0) / 30;
    expect(measured / encodeSeconds(planned)).toBeLessThan(0.05);
    const { groups, quality } = planned;
    const estimates = groups.flatMap(({ chunks, grid, rungs }) =>
      chunks.map((chunk) => estimatedCpuSeconds(chunk, grid, rungs)),
    );
    // The estimate of a start is for chunks: a sample starts no upload.
    const seconds = qualityCpuSeconds(quality!.spec) - 1.4 * samples.length;
    expect(seconds / estimates.reduce((sum, one) => sum + one, 0)).toBeLessThan(0.051);
    expect(seconds).toBeGreaterThan(1);
  });

  test.each([
    ['for a ladder of bitrates', 600, { ladder: { mode: 'bitrate' } }],
    ['for a ladder without a mode', 600, { ladder: { mode: undefined } }],
    ['for a short video', 8, {}],
    ['if all is encoded in the first phase', 600, { ladder: { max_renditions: 1 } }],
    [
      'if samples would decode all frames before them',
      600,
      { changes: { editShifts: [{ frames: 18_000, shiftTicks: 0 }] } },
    ],
  ] as [string, number, Options][])('is not measured %s', (_, seconds, options) => {
    expect(plan(seconds, options).quality).toBeUndefined();
  });

  test('without playback during the encode is measured before anything is encoded', () => {
    const { groups, quality } = plan(600, { outputs: [{ format: 'dash' }] });
    expect(quality).toBeDefined();
    expect(groups.every(({ phase }) => phase === 1)).toBe(true);
  });

  test('has the rungs of a ladder of bitrates, with their bitrates and peaks as maximum', () => {
    const rates = (mode: string) =>
      plan(600, { ladder: { mode } })
        .groups.at(-1)!
        .rungs.map(({ rate }) => rate);
    expect(rates('quality')).toEqual(
      rates('bitrate').map(({ maxBitrateBps, bufferBits }) => ({ mode: 'crf', crf: 23, maxBitrateBps, bufferBits })),
    );
  });

  test('has names of all variants of a rung', () => {
    const outputs = [
      { name: 'a', format: 'hls', segment_duration: 6 },
      { name: 'b', format: 'dash', segment_duration: 4 },
    ];
    expect(plan(600, { outputs }).quality!.rungs[0]!.tracks).toEqual(['1080p', '1080p-4s']);
  });
});

describe('a decided plan', () => {
  const outputs = [{ format: 'hls' }, { format: 'mp4' }];
  const planned = plan(600, { outputs });
  const leftOut = { '720p': '720p is left out.', '240p': '240p is left out.' };
  const decided = decidedPlan(planned, { crf: { '1080p': 27, '480p': 26, '360p': 25 }, leftOut });
  const shown = ({ groups }: Plan) =>
    groups.map(({ phase, rungs }) => [
      phase,
      rungs.map(({ name, rate }) => `${name} ${rate.mode === 'crf' && rate.crf}`),
    ]);

  test('has the decided qualities, except in the first phase', () => {
    expect(shown(planned)[0]).toEqual([0, ['360p 23']]);
    expect(shown(decided)).toEqual([
      [0, ['360p 23']],
      [1, ['1080p 27', '480p 26']],
      [2, ['1080p 27', '480p 26', '360p 25']],
    ]);
  });

  test('has no rungs that are left out', () => {
    expect(decided.outputs.map(({ video }) => video)).toEqual([['1080p', '480p', '360p'], ['1080p']]);
    expect(decided.streams.map(({ name }) => name)).toEqual(['1080p', '480p', '360p']);
  });

  test('keeps the tracks of the first phase, and one of each group and output', () => {
    expect([...keptTracks(planned)].toSorted()).toEqual(['1080p', '360p']);
  });
});

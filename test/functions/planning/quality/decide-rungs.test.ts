import { describe, expect, test } from 'vitest';
import type { PlannedQuality } from '../../../../functions/planning/encoding-plan.ts';
import { decideRungs, nothingDecided } from '../../../../functions/planning/quality/decide-rungs.ts';
import type { Rung } from '../../../../shared/protocol/encode-spec.ts';
import type { QualityTrial } from '../../../../shared/protocol/jobs.ts';

const rung = (name: string, width: number, height: number, capBps: number) => ({
  name,
  width,
  height,
  capBps,
  tracks: [name, `${name}-4s`],
});
const rungs = [
  rung('1080p', 1920, 1080, 5_000_000),
  rung('720p', 1280, 720, 2_800_000),
  rung('360p', 640, 360, 800_000),
  rung('240p', 426, 240, 400_000),
];
const trial = (name: string): QualityTrial => {
  const { width, height, capBps } = rungs.find((one) => one.name === name)!;
  const rung = { name, width, height, codec: 'h264' } as Rung;
  return { rung, firstCrf: 29, finerCrf: 20, coarserCrf: 38, capBps, targetXpsnrDb: 38 };
};
const quality: PlannedQuality = {
  spec: {
    kind: 'quality',
    samples: [],
    source: {} as PlannedQuality['spec']['source'],
    grid: { frameRate: { num: 30, den: 1 }, gopFrames: 60 } as PlannedQuality['spec']['grid'],
    trials: [trial('240p'), trial('1080p')],
  },
  rungs,
};

/** The bytes of a second of a GOP of two seconds whose key frame is six times as large as the mean. */
function frameBytes(mean: number) {
  const others = (60 * mean - 6 * mean) / 59;
  return { keyFrameBytes: Math.round(6 * mean), bytes: Math.round(6 * mean + 29 * others) };
}

/** A source with the same quality in all rungs, 0.6 dB less for each step of CRF, and 12 % less bitrate. */
function pointsOf({ xpsnrDb, largeBps }: { xpsnrDb: number; largeBps: number }) {
  const smallBps = largeBps * ((426 * 240) / (1920 * 1080)) ** 0.75;
  const point = (name: string, crf: number, bitrateBps: number) => [
    ...[0, 1].map((sample) => ({
      rung: name,
      crf,
      sample,
      frames: 30,
      xpsnrDb: xpsnrDb - 0.6 * (crf - 23),
      ...frameBytes((bitrateBps * Math.exp(-0.12 * (crf - 23))) / 8 / 30),
    })),
  ];
  return [20, 29].flatMap((crf) => [...point('240p', crf, smallBps), ...point('1080p', crf, largeBps)]);
}
const none = new Set<string>();
const decide = (source: Parameters<typeof pointsOf>[0], kept = none) =>
  decideRungs(quality, { points: pointsOf(source) }, kept);

describe('the quality of rungs', () => {
  test('is the target, by a linear function of the CRF, for all variants of a rung', () => {
    // 40.1 dB are reached 4.8 steps above the default, and the smaller targets of 720p, 360p and 240p later.
    expect(decide({ xpsnrDb: 43, largeBps: 4_000_000 }).crf).toEqual({
      '1080p': 27,
      '1080p-4s': 27,
      '720p': 30,
      '720p-4s': 30,
      '360p': 31,
      '360p-4s': 31,
      '240p': 31,
      '240p-4s': 31,
    });
  });

  test('is limited by the bitrate of the ladder', () => {
    const { crf } = decide({ xpsnrDb: 38, largeBps: 10_000_000 });
    // A factor of 2 are 5.8 steps of 12 %. At most 24 steps are taken.
    expect(crf['1080p']).toBe(29);
    expect(decide({ xpsnrDb: 38, largeBps: 60_000_000 }).crf['1080p']).toBe(44);
    expect(decide({ xpsnrDb: 38, largeBps: 200_000_000 }).crf['1080p']).toBe(47);
  });

  test('follows coarser qualities, where the others need more than the bitrate of the ladder', () => {
    // From step 29 to 38 it falls from 29.2 to 2.5 Mbit/s: to 4.3 at 36. One more, since it falls by so much.
    const points = pointsOf({ xpsnrDb: 38, largeBps: 60_000_000 }).map((point) =>
      point.rung === '1080p' && point.crf === 20
        ? { ...point, crf: 38, xpsnrDb: 31, ...frameBytes(2_500_000 / 8 / 30) }
        : point,
    );
    expect(decideRungs(quality, { points }, none).crf['1080p']).toBe(37);
  });

  test('is a step coarser, where a step changes the bitrate by much', () => {
    const points = pointsOf({ xpsnrDb: 38, largeBps: 10_000_000 });
    const grain = points.map((point) =>
      point.rung === '1080p' && point.crf === 29
        ? { ...point, bytes: Math.round(point.bytes / 2), keyFrameBytes: Math.round(point.keyFrameBytes / 2) }
        : point,
    );
    // It falls by 20 % for each step, from 14.3 Mbit/s at 20: to 4.9 at 25.6.
    expect(decideRungs(quality, { points: grain }, none).crf['1080p']).toBe(27);
  });

  test('of a rung between two that were measured lies between theirs', () => {
    const trials = [trial('240p'), trial('360p'), trial('1080p')];
    const points = pointsOf({ xpsnrDb: 40, largeBps: 3_000_000 });
    const blurred = points
      .filter(({ rung }) => rung === '240p')
      .map((point) => ({ ...point, rung: '360p', xpsnrDb: point.xpsnrDb - 5 }));
    const { crf } = decideRungs(
      { ...quality, spec: { ...quality.spec, trials } },
      { points: [...points, ...blurred] },
      none,
    );
    expect(crf).toMatchObject({ '1080p': 22, '720p': 22, '360p': 21, '240p': 31 });
  });

  test('is coarser, if that loses hardly any quality of a rung that cannot have the target', () => {
    const grain = pointsOf({ xpsnrDb: 33, largeBps: 12_000_000 }).map((point) =>
      point.rung === '1080p' ? { ...point, xpsnrDb: 33 - 0.05 * (point.crf - 23) } : point,
    );
    // Step 30 has nearly the bitrate of the ladder.
    expect(decideRungs(quality, { points: grain }, none).crf['1080p']).toBe(30);
    // Six steps from the finest one would cost 0.3 dB. More than four steps from the default are not taken.
    const half = ({ bytes, ...point }: (typeof grain)[number]) => ({
      ...point,
      bytes: bytes / 3,
      keyFrameBytes: point.keyFrameBytes / 3,
    });
    const { crf } = decideRungs(quality, { points: grain.map(half) }, none);
    expect(crf['1080p']).toBe(27);
    expect(crf['360p']).toBeLessThan(27);
  });

  test('stays within eight steps of the default', () => {
    expect(decide({ xpsnrDb: 60, largeBps: 100_000 }).crf['1080p']).toBe(31);
    expect(decide({ xpsnrDb: 30, largeBps: 300_000 }).crf['1080p']).toBe(15);
  });

  test('has quarter steps, where the encoder makes them: nearer to the target, and to the bitrate of the ladder', () => {
    const decideIn = (crfStep: 0.25 | 1, source: Parameters<typeof pointsOf>[0]) =>
      decideRungs(quality, { points: pointsOf(source), crfStep }, none).crf;
    // 40.1 dB are reached at 27.83, and 38.7 and 37.7 of smaller rungs at 30.1 and beyond the last step, 31
    const good = { xpsnrDb: 43, largeBps: 4_000_000 };
    expect(decideIn(0.25, good)).toMatchObject({ '1080p': 27.75, '240p': 31 });
    expect(decideIn(1, good)).toEqual(decide(good).crf);
    // the bitrate of the ladder is reached at 28.78; a whole step may exceed it by 5 %, a quarter by 1.25 %
    expect(decideIn(0.25, { xpsnrDb: 38, largeBps: 10_000_000 })['1080p']).toBe(28.75);
  });

  test('is planned as before, if a trial has no result', () => {
    const points = pointsOf({ xpsnrDb: 43, largeBps: 2_000_000 }).filter((point) => point.rung !== '1080p');
    expect(decideRungs(quality, { points }, none)).toEqual(nothingDecided);
    expect(decideRungs(quality, { points: [] }, none)).toEqual(nothingDecided);
  });

  test('follows from one trial, if the ladder has one rung', () => {
    const one = {
      ...quality,
      rungs: rungs.slice(3),
      spec: { ...quality.spec, trials: quality.spec.trials.slice(0, 1) },
    };
    expect(decideRungs(one, { points: pointsOf({ xpsnrDb: 37, largeBps: 2_000_000 }) }, none)).toEqual({
      crf: { '240p': 26, '240p-4s': 26 },
      leftOut: {},
    });
  });
});

describe('a rung is left out', () => {
  test('if larger ones need less bitrate than every viewer has, but not if it is encoded already', () => {
    const source = { xpsnrDb: 43, largeBps: 200_000 };
    const { crf, leftOut } = decide(source, new Set(['360p']));
    expect(Object.keys(crf)).toEqual(['1080p', '1080p-4s', '360p', '360p-4s']);
    expect(leftOut['720p-4s']).toMatch(/^720p is left out: 1080p needs only \d+ kbit\/s for this video\.$/);
    expect(Object.keys(leftOut)).toEqual(['720p', '720p-4s', '240p', '240p-4s']);
  });

  test('if it needs nearly the bitrate of the next larger one', () => {
    const flat = pointsOf({ xpsnrDb: 43, largeBps: 2_000_000 }).map((point) =>
      point.rung === '240p'
        ? { ...point, bytes: Math.round(point.bytes * 24), keyFrameBytes: Math.round(point.keyFrameBytes * 24) }
        : point,
    );
    const { leftOut } = decideRungs(quality, { points: flat }, none);
    expect(Object.keys(leftOut)).toContain('720p');
    expect(leftOut['720p']).toBe('720p is left out: it would need nearly the bitrate of 1080p for this video.');
  });

  test('otherwise none is', () => {
    expect(decide({ xpsnrDb: 43, largeBps: 4_000_000 }).leftOut).toEqual({});
  });
});

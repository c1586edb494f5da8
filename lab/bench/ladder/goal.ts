import { targetXpsnrDb } from '../../../functions/planning/quality/target.ts';
import { qualityPeakFactor } from '../../../functions/planning/video/ladder.ts';
import { frameSize } from '../../../functions/planning/video/rungs.ts';
import { type Row, row } from '../row.ts';
import type { Measured } from './encode-rungs.ts';

/** Of the bytes at an average bitrate, where that has more than the target. */
const mostBytes = 0.75;
/** Where an average bitrate does not reach the target. */
const mostLostDb = 0.5;
/** Of the bitrate of the table, which a rung may need on average. A chunk of a video can need more than its average. */
const mostOfTable = 1.1;

/**
 * One rung of a clip at constant quality, with its average bitrate as the baseline. Where that exceeds the target
 * quality, bytes are to be saved and the target kept; elsewhere hardly any quality may be lost. No rung may exceed the
 * bitrate of the table by much.
 */
export function goalRows(clip: string, average: Measured, constant: Measured | undefined): Row[] {
  const name = `${clip}, ${average.rung.name}`;
  const targetDb = targetXpsnrDb(frameSize(average.rung));
  const isAbove = average.decibels > targetDb;
  const bitrate = { unit: 'kbit/s', baseline: average.kbps };
  if (!constant) return [row({ name: `${name}: left out`, value: 0, ...bitrate })];
  const { rate, codec } = constant.rung;
  if (rate.mode !== 'crf' || rate.maxBitrateBps === null)
    throw new Error(`${name} has no constant quality with a maximum`);
  const tableKbps = rate.maxBitrateBps / qualityPeakFactor(codec) / 1000;
  return [
    row({
      name: `${name}: bitrate at CRF ${rate.crf}`,
      value: constant.kbps,
      ...bitrate,
      atMost: Math.round(mostOfTable * tableKbps),
      ...(isAbove ? { ratioAtMost: mostBytes } : {}),
    }),
    row({
      name: `${name}: XPSNR`,
      unit: 'dB',
      value: constant.decibels,
      baseline: average.decibels,
      atLeast: Number((isAbove ? targetDb : average.decibels - mostLostDb).toFixed(2)),
    }),
  ];
}

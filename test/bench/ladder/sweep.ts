// Bytes and XPSNR of each rung of the automatic ladder, by its bitrate and by constant qualities with the same peaks,
// one JSON line each, from which default qualities are chosen. node test/bench/ladder/sweep.ts --crf 19,23,27 [CLIP|FILE…]

import { parseArgs } from 'node:util';
import type { Rung } from '../../../shared/protocol/encode-spec.ts';
import { encodeRungs, openClip } from './encode-rungs.ts';
import { eachClip } from './ladder.ts';

const { values, positionals } = parseArgs({
  options: { crf: { type: 'string', default: '19,21,23,25,27' }, codec: { type: 'string', default: 'h264' } },
  allowPositionals: true,
});
const qualities = values.crf.split(',').map(Number);

const withQuality =
  (crf: number) =>
  (rung: Rung): Rung => {
    if (rung.rate.mode !== 'bitrate') throw new Error('The ladder has rungs without an average bitrate');
    const { maxBitrateBps, bufferBits } = rung.rate;
    return { ...rung, rate: { mode: 'crf', crf, maxBitrateBps, bufferBits } };
  };

await eachClip(async ({ name }, file, folder) => {
  const source = await openClip(file, { codec: values.codec }, folder);
  try {
    for (const crf of [null, ...qualities]) {
      const { measured, cpuSeconds } = await encodeRungs(source, crf === null ? undefined : withQuality(crf));
      for (const { rung, bytes, decibels, seconds } of measured) {
        const kbps = Math.round((bytes * 8) / 1000 / seconds);
        console.log(JSON.stringify({ clip: name, rung: rung.name, crf, kbps, decibels, bytes }));
      }
      console.error(name, crf ?? 'bitrate', `${cpuSeconds.toFixed(1)} CPU s`);
    }
  } finally {
    await source.store.close();
  }
}, positionals);

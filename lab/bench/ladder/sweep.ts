// Bitrate and XPSNR of each rung of the automatic ladder, by its average bitrate and by constant qualities with the
// same peaks, one JSON line each. node lab/bench/ladder/sweep.ts --crf 19,23,27 [--codec h264] [CLIP|FILE…]

import { parseArgs } from 'node:util';
import { changeRungs, encodeRungs, openClip } from './encode-rungs.ts';
import { eachClip } from './ladder.ts';
import { withQuality } from './rate-curves.ts';

const { values, positionals } = parseArgs({
  options: { crf: { type: 'string', default: '19,21,23,25,27' }, codec: { type: 'string', default: 'h264' } },
  allowPositionals: true,
});
const qualities = values.crf.split(',').map(Number);

await eachClip(async ({ name }, file, folder) => {
  const source = await openClip(file, { codec: values.codec }, folder);
  const { groups } = source.plan;
  try {
    for (const crf of [null, ...qualities]) {
      const wanted = crf === null ? groups : changeRungs(groups, (rung) => [withQuality(rung, crf)]);
      for (const { rung, decibels, kbps } of (await encodeRungs(source, wanted)).rungs) {
        console.log(JSON.stringify({ clip: name, rung: rung.name, crf, kbps: Math.round(kbps), decibels }));
      }
    }
  } finally {
    await source.store.close();
  }
}, positionals);

// CPU seconds of ffmpeg for a minute of source with each built-in template, the basis of docs/cost.md. User and system
// time of the worker's jobs from probe to thumbnails, without remuxing. Other load changes it little, unlike wall-clock
// time. `relativeSpeed` is that of this machine beside the one of docs/cost.md; on arm64 it is the `arm64Speed` of
// shared/pricing/video-cost.ts. node lab/bench/encode-cpu.ts [template…]

import { readFile, rm } from 'node:fs/promises';
import { arch, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureCpu } from '../../encoder-task/runtime/child-cpu.ts';
import { presets } from '../../functions/templates/presets.ts';
import { runPlan } from '../../test/encoder-task/support/run-plan.ts';
import { startStore } from '../../test/encoder-task/support/store.ts';
import { runOrThrow } from '../../test/journey/support/ffmpeg.ts';
import { workloads } from '../../tools/cost/workloads.ts';
import { keepSourceVideo } from './encoding/source-video.ts';

const sourceSeconds = 20;

const wanted = process.argv.slice(2);
const file = join(tmpdir(), `video-service-encode-cpu-${process.pid}.mp4`);
await runOrThrow('ffmpeg', ['-i', await keepSourceVideo(), '-t', String(sourceSeconds), '-c', 'copy', file]);
try {
  console.log(`${new Date().toISOString().slice(0, 10)}, ${cpus()[0]?.model.trim()}, ${arch()}`);
  for (const { slug, query } of presets.filter((preset) => wanted.length === 0 || wanted.includes(preset.slug))) {
    const store = await startStore();
    store.objects.set('source', await readFile(file));
    const { result, cpuSeconds } = await measureCpu(() => runPlan(store, file, query));
    await store.close();
    const rungs = result.plan.groups.flatMap((group) => group.rungs.map(({ height }) => height));
    const perMinute = Math.round((cpuSeconds * 60) / sourceSeconds);
    const known = workloads.find(({ template }) => template === slug)?.cpuSecondsPerMinute;
    const relativeSpeed = known && Number((known / perMinute).toFixed(2));
    console.log(JSON.stringify({ template: slug, cpuSecondsPerMinute: perMinute, relativeSpeed, heights: rungs }));
  }
} finally {
  await rm(file, { force: true });
}

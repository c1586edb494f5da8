import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from 'vitest/node';

/**
 * The slowest files. If one of them started last, all other workers would be idle while it runs. Files that mostly wait
 * for processes alternate with files that compute. Vitest knows the durations of an earlier run, but a fresh clone has
 * none.
 */
const longest = [
  'test/functions/nodes/steps/run-step.test.ts',
  'test/infra/build/bundle.test.ts',
  'test/encoder-task/end-to-end/timelines.test.ts',
  'test/encoder-task/worker/worker.test.ts',
  'test/encoder-task/jobs/encode-video.test.ts',
  'test/encoder-task/jobs/encode-audio.test.ts',
  'test/delivery/proxy/delivery.test.ts',
  'test/encoder-task/end-to-end/sources.test.ts',
  'test/functions/nodes/operate.test.ts',
  'test/encoder-task/jobs/copy-video.test.ts',
  'test/encoder-task/end-to-end/resource-use.test.ts',
  'test/functions/nodes/steps/step-faults.test.ts',
  'test/encoder-task/end-to-end/decoder-buffer.test.ts',
  'test/functions/nodes/steps/run-script.test.ts',
  'test/journey/documented-commands.test.ts',
  'test/journey/worker-node.test.ts',
  'test/journey/webhooks.test.ts',
  'test/journey/recovery.test.ts',
  'test/journey/streams.test.ts',
  'test/journey/proxy-node.test.ts',
  'test/journey/browser-playback.test.ts',
  'test/journey/command-line.test.ts',
  'test/journey/dashboard/dashboard.test.ts',
  'test/journey/upload-to-playback.test.ts',
  'test/journey/public-server.test.ts',
];

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = longest.findIndex((file) => moduleId.endsWith(`/${file}`));
  return rank < 0 ? longest.length : rank;
};

/** A sequencer for vitest, which calls it with `new`: the files above first, the others in the default order. */
function longestFirst(vitest: ConstructorParameters<TestSequencerConstructor>[0]) {
  const usual = new BaseSequencer(vitest);
  return {
    shard: (files: TestSpecification[]) => usual.shard(files),
    sort: async (files: TestSpecification[]) =>
      (await usual.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other)),
  };
}

export const LongestFirst = longestFirst as unknown as TestSequencerConstructor;

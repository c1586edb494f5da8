import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { functionEnvironment } from './test/fixtures/function-environment.ts';
import { LongestFirst } from './test/longest-first.ts';
import { separateTests, statelessTests } from './test/stateless-tests.ts';

/**
 * Expected events take milliseconds, on a busy machine seconds. These limits only end tests that would wait forever; they do
 * not slow down passing tests, and no test may set a smaller one.
 */
const patient = { poll: { timeout: 120_000 } };

/** `npm test` names all three projects. `--project unit` alone runs any unit test, each file in a separate process. */
const sharesProcesses = process.argv.includes('stateless');
const stateless = sharesProcesses ? statelessTests() : [];
const separate = sharesProcesses ? separateTests() : [];
const setupFiles = ['test/fixtures/set-up/use-fresh-state.ts', 'test/fixtures/set-up/use-cheap-scrypt.ts'];
const unit = {
  testTimeout: 240_000,
  hookTimeout: 240_000,
  expect: patient,
  env: functionEnvironment,
  sequence: { setupFiles: 'list' as const },
};

/** Its encodes must keep up with playback. */
const realTime = ['test/long/playback/play-while-encoded.test.ts'];
const long = { testTimeout: 1_800_000, hookTimeout: 900_000, expect: patient };

export default defineConfig({
  test: {
    // One more than the cores: with as many, a quarter of a machine with two cores is idle, since many tests wait for a
    // process, a connection or a timer.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...unit,
          name: 'unit',
          include: ['test/**/*.test.ts', 'embedded-aws/test/**/*.test.ts'],
          exclude: ['test/journey/**', 'test/long/**', 'test/media/**', ...stateless, ...separate],
          setupFiles,
          isolate: !sharesProcesses,
        },
      },
      { test: { ...unit, name: 'separate', include: separate, setupFiles } },
      { test: { ...unit, name: 'stateless', include: stateless, isolate: false } },
      {
        // every source with every built-in template; not part of npm test
        test: {
          name: 'media',
          include: ['test/media/**/*.test.ts'],
          testTimeout: 600_000,
          fileParallelism: false,
        },
      },
      // npm run references: TARGET says what the requests are sent to. With the embedded services, they are unit tests.
      {
        test: {
          name: 'contract',
          include: ['embedded-aws/test/contract/**/*.test.ts'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          expect: patient,
        },
      },
      // npm run test:long
      {
        test: {
          ...long,
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          exclude: [...realTime, 'test/long/docker/**'],
        },
      },
      // npm run test:images, also a part of npm run test:long. All files use one Docker engine, and the tests of the
      // proxy its image.
      {
        test: {
          ...long,
          name: 'images',
          include: ['test/long/docker/**/*.test.ts', 'test/delivery/proxy/{delivery,every-minute}.test.ts'],
          globalSetup: 'test/long/docker/shared-engine.ts',
          fileParallelism: false,
        },
      },
      // npm run test:long: what the tests of the encoder and of the media expect holds for the ffmpeg of the image too.
      {
        test: {
          ...unit,
          ...long,
          name: 'image-ffmpeg',
          include: ['test/encoder-task/**/*.test.ts', 'test/media/**/*.test.ts'],
          setupFiles,
          globalSetup: 'test/long/docker/image-ffmpeg.ts',
        },
      },
      // after all others, since it needs the whole machine
      { test: { ...long, name: 'real-time', include: realTime, sequence: { groupOrder: 2 } } },
      {
        test: {
          name: 'journey',
          include: ['test/journey/**/*.test.ts'],
          globalSetup: 'test/journey/support/shared-service.ts',
          testTimeout: 900_000,
          hookTimeout: 900_000,
          // Most polls ask the service or read all of /proc. Every 50 ms, that would take a third of a core.
          expect: { poll: { ...patient.poll, interval: 250 } },
          // The files share their modules: AWS clients and Playwright take half a second of CPU time to load.
          isolate: false,
          // Journeys wait more than they compute, but every third one starts a separate service with encoders.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});

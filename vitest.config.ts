import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';

/**
 * What is waited for comes in milliseconds, on a busy machine in seconds. These limits only end what will never come: a test that passes does not take
 * longer for them, and none may have a smaller one of its own.
 */
const patient = { poll: { timeout: 120_000 } };

export default defineConfig({
  test: {
    // One less than the cores would leave half of a small machine idle: many tests wait for a process.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/journey/**', 'test/long/**', 'test/bench/**', 'test/media/**'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          expect: patient,
          env: { POWERTOOLS_LOG_LEVEL: 'SILENT', STAGE: 'test' },
          setupFiles: 'test/fixtures/cheap-scrypt.ts',
        },
      },
      {
        // every source with every built-in template; not part of npm test
        test: {
          name: 'media',
          include: ['test/media/**/*.test.ts'],
          testTimeout: 600_000,
          fileParallelism: false,
        },
      },
      {
        // npm run test:long
        test: {
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          testTimeout: 1_800_000,
          expect: patient,
        },
      },
      {
        test: {
          name: 'journey',
          include: ['test/journey/**/*.test.ts'],
          globalSetup: 'test/journey/shared-service.ts',
          testTimeout: 900_000,
          hookTimeout: 900_000,
          expect: patient,
          // Much of a journey is waiting; but each second one has a service and encoders of its own.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});

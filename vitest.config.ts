import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';

// What is waited for comes in milliseconds, but on a busy machine it may take its time.
const patient = { poll: { timeout: 20_000 } };

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
          testTimeout: 60_000,
          hookTimeout: 60_000,
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
          testTimeout: 900_000,
          expect: patient,
        },
      },
      {
        test: {
          name: 'journey',
          include: ['test/journey/**/*.test.ts'],
          globalSetup: 'test/journey/shared-service.ts',
          testTimeout: 300_000,
          hookTimeout: 120_000,
          expect: patient,
          // Much of a journey is waiting; but each second one has a service and encoders of its own.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});

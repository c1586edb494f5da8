import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/**
 * What a test uses that changes or measures its process: mocks, fake clocks, the environment, memory, child processes,
 * and the helpers that do so.
 */
const usesProcess =
  /\bvi\b|aws-sdk-client-mock|fixtures\/|support\/|\bprocess\.(env|chdir|on|exit|kill|umask)|globalThis|scrypt|spawn|execFile|memoryUsage|setTimeout\(/;

/**
 * Test files below these folders of `test` that leave their process unchanged. They can share one process, which then
 * imports each module once.
 */
export const statelessTests = (folders: readonly string[]): string[] =>
  globSync(`test/{${folders.join()}}/**/*.test.ts`, { cwd: root })
    .filter((file) => !usesProcess.test(readFileSync(join(root, file), 'utf8')))
    .toSorted();

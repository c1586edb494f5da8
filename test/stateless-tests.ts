import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/**
 * What a test uses that changes or measures its process: mocks, fake clocks, the environment, memory, child processes,
 * and the helpers that do so.
 */
const usesProcess =
  /\bvi\b|aws-sdk-client-mock|fixtures\/|support\/|\bprocess\.(env|chdir|on|exit|kill|umask)|globalThis|scrypt|spawn|execFile|memoryUsage|setTimeout\(/;

const unitTests = (): { file: string; text: string }[] =>
  globSync('{test,embedded-aws/test}/**/*.test.ts', { cwd: root })
    .filter((file) => !/^test\/(journey|long|media)\//.test(file))
    .toSorted()
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

/**
 * Unit test files that leave their process unchanged. They share processes, which import each module once.
 */
export const statelessTests = (): string[] =>
  unitTests()
    .filter(({ text }) => !usesProcess.test(text))
    .map(({ file }) => file);

/**
 * What a test uses that changes or measures its process in a way that `fixtures/set-up/use-fresh-state.ts` cannot
 * restore.
 */
const needsProcess = /\bvi\.(do)?mock\(|\bprocess\.(chdir|exit\b|kill|on\b|once|umask)|memoryUsage|support\/peak-use/;

/** Unit test files that run in a process of their own. */
export const separateTests = (): string[] =>
  unitTests()
    .filter(({ text }) => needsProcess.test(text))
    .map(({ file }) => file);

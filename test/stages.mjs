/** The stages of `npm test` and their summary. Plain JavaScript for Node 20, as `run.mjs`. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, runNode } from '../local/setup.mjs';

const vitest = join(root, 'node_modules/vitest/vitest.mjs');

/** @typedef {{ name: string, run: () => number | Promise<number>, report?: string }} Stage */
/** @typedef {{ name?: string, folder?: string, testTimeoutMs?: number, env?: Record<string, string> }} StageOptions */
/**
 * @typedef {{ name: string, status: number, seconds: number, cpuSeconds: number, failedFiles: string[] }} EndedStage
 */

const reportFolder = join(root, 'node_modules/.cache/test-report');
/** Results of the stages of the last `npm test`, for the bench. */
export const stagesFile = join(reportFolder, 'stages.json');
/** Where the reporter of a stage writes the times and results of its files. @param {string} name of the stage */
const reportFile = (name) => join(reportFolder, `${name.replaceAll(' ', '-')}.json`);

/** @type {Stage} */
export const check = {
  name: 'types and lint',
  run: () => spawnSync('npm', ['run', '--silent', 'check'], { cwd: root, stdio: 'inherit' }).status ?? 1,
};

/** Stages of several vitest projects. @type {Record<string, string[]>} */
const projectsOfStage = { unit: ['unit', 'separate', 'stateless'], long: ['long', 'real-time'] };

/**
 * The unit tests, or the tests of another vitest project, or only those below a folder.
 * @param {string} project
 * @param {StageOptions} options
 * @returns {Stage}
 */
export const testStage = (project, { name = `${project} tests`, folder, testTimeoutMs, env = {} } = {}) => ({
  name,
  report: reportFile(name),
  run: () => {
    rmSync(reportFile(name), { force: true });
    const reporters = ['--reporter=default', '--reporter=./test/slowest-files.ts'];
    const timeout = testTimeoutMs === undefined ? [] : [`--testTimeout=${testTimeoutMs}`];
    const projects = (projectsOfStage[project] ?? [project]).flatMap((one) => ['--project', one]);
    const args = ['run', ...projects, ...reporters, ...timeout, ...(folder === undefined ? [] : [folder])];
    return runNode([vitest, ...args], { ...env, REPORT_FILE: reportFile(name) });
  },
});

/**
 * Runs all stages even when one fails, and prints at the end which failed. A signal ends them all.
 * @param {Stage[]} stages
 * @param {string} [keptIn] a file for the results
 * @returns {Promise<number>} the exit status: 0 when all passed
 */
export async function runStages(stages, keptIn) {
  let stopped = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => (stopped = true));
  /** @type {EndedStage[]} */
  const ended = [];
  for (const { name, run, report } of stages) {
    const startedMs = Date.now();
    const cpuBefore = childCpuSeconds();
    const status = await run();
    const seconds = (Date.now() - startedMs) / 1000;
    ended.push({ name, status, seconds, cpuSeconds: childCpuSeconds() - cpuBefore, failedFiles: failedFiles(report) });
    if (stopped) break;
  }
  console.log(`\n${summaryOf(ended)}`);
  if (keptIn !== undefined) {
    mkdirSync(dirname(keptIn), { recursive: true });
    writeFileSync(keptIn, JSON.stringify(ended));
  }
  return ended.find(({ status }) => status !== 0)?.status ?? 0;
}

const ticksPerSecond = 100;
/** Index of the user time of ended children among the fields after the command; their system time follows. */
const childUserField = 13;

/** CPU time of all ended child processes. Linux only; 0 elsewhere. */
function childCpuSeconds() {
  if (!existsSync('/proc/self/stat')) return 0;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[childUserField]) + Number(fields[childUserField + 1])) / ticksPerSecond;
}

/** @param {string | undefined} report */
function failedFiles(report) {
  if (report === undefined || !existsSync(report)) return [];
  /** @type {{ files: { file: string, passed: boolean }[] }} */
  const { files } = JSON.parse(readFileSync(report, 'utf8'));
  return files.filter(({ passed }) => !passed).map(({ file }) => file);
}

/**
 * A line for each stage, with the files that failed below it.
 * @param {EndedStage[]} ended
 */
export function summaryOf(ended) {
  const width = Math.max(...ended.map(({ name }) => name.length));
  /** @param {number} value */
  const rounded = (value) => String(Math.round(value)).padStart(5);
  return ended
    .flatMap(({ name, status, seconds, cpuSeconds, failedFiles }) => [
      `${name.padEnd(width)}  ${status === 0 ? 'passed' : 'FAILED'}  ${rounded(seconds)} s  CPU ${rounded(cpuSeconds)} s`,
      ...failedFiles.map((file) => `  ${file}`),
    ])
    .join('\n');
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const shown = 15;

/**
 * A vitest reporter: prints the slowest test files at the end of a run, and writes the times and results of all files
 * to REPORT_FILE for `test/stages.mjs` and the bench.
 */
export default function slowestFiles(): Reporter {
  let startedMs = Date.now();
  return {
    onTestRunStart: () => {
      startedMs = Date.now();
    },
    onTestRunEnd: (modules) => {
      const files = modules.map(fileOf).toSorted((a, b) => b.seconds - a.seconds);
      const lines = files.slice(0, shown).map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`);
      console.log(['\nSlowest files:', ...lines].join('\n'));
      const reportFile = process.env.REPORT_FILE;
      if (reportFile === undefined) return;
      mkdirSync(dirname(reportFile), { recursive: true });
      writeFileSync(reportFile, JSON.stringify({ seconds: (Date.now() - startedMs) / 1000, files }));
    },
  };
}

/** A file's time from the start of its imports to the end of its last test. */
function fileOf(module: TestModule) {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  const seconds = (collectDuration + setupDuration + duration) / 1000;
  return { file: relative(process.cwd(), module.moduleId), seconds, passed: module.ok() };
}

import type { Processed } from './process-files.ts';

/** The lines that report the result of a file: its URLs, and which outputs failed and why. */
export function reportLines({ name, sources, poster, failure, failed = [] }: Processed): {
  stdout: string[];
  stderr: string[];
} {
  if (failure !== undefined) return { stdout: [], stderr: [`${name} failed: ${failure}`] };
  return {
    stdout: [
      `\n${name} plays at, for the next 6 hours:`,
      ...sources.map(({ name: output, url }) => `  ${output.padEnd(6)} ${url}`),
      ...(poster ? [`  poster ${poster}`] : []),
    ],
    stderr: failed.map(({ name: output, reason }) => `${name}: the output ${output} failed: ${reason}`),
  };
}

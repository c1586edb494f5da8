import { createPainter, type Painter, type TerminalStream } from './progress-painter.ts';

export type Reporter = {
  /** A result: the record with `--json`, else the lines. */
  result(record: unknown, lines: readonly string[]): void;
  /** What happens, or what can be done next. Not with `--json` and `--quiet`. */
  note(line: string): void;
  /** A problem that does not end the command. */
  warn(line: string): void;
  bars: Painter;
};

export type ReporterOptions = { json: boolean; quiet: boolean };

/**
 * Results go to the standard output, everything else to the standard error. Bars are shown on a terminal only.
 */
export function createReporter(
  { stdout, stderr }: { stdout: TerminalStream; stderr: TerminalStream },
  { json, quiet }: ReporterOptions,
): Reporter {
  const bars = createPainter(stderr, stderr.isTTY === true && !json && !quiet);
  const write = (stream: TerminalStream, line: string): void => bars.above(() => stream.write(`${line}\n`));
  return {
    result(record, lines) {
      for (const line of json ? [JSON.stringify(record)] : lines) write(stdout, line);
    },
    note(line) {
      if (!json && !quiet) write(stderr, line);
    },
    warn: (line) => write(stderr, line),
    bars,
  };
}

import { type ProgressRow, renderRows } from './progress-rows.ts';

export type TerminalStream = { isTTY?: boolean; columns?: number; rows?: number; write(text: string): unknown };

/** Bars at the bottom of a terminal. */
export type Painter = {
  set(key: string, row: ProgressRow): void;
  remove(key: string): void;
  /** Writes something above the bars. */
  above(write: () => void): void;
  /** Removes the bars. */
  stop(): void;
};

/** Fewer changes per second than a terminal over a network can show. */
const paintEveryMs = 100;
const clearBelow = '\x1b[0J';

export const createPainter = (stream: TerminalStream, isShown: boolean): Painter =>
  isShown ? terminalPainter(stream) : noPainter;

const noPainter: Painter = { set: () => {}, remove: () => {}, above: (write) => write(), stop: () => {} };

function terminalPainter(stream: TerminalStream): Painter {
  const rows = new Map<string, ProgressRow>();
  let paintedLines = 0;
  let timer: NodeJS.Timeout | undefined;
  const clear = (): void => {
    if (paintedLines > 0) stream.write(`\x1b[${paintedLines}A\r${clearBelow}`);
    paintedLines = 0;
  };
  const paint = (): void => {
    timer = undefined;
    const lines = renderRows([...rows.values()], stream.columns ?? 80, Math.max(1, (stream.rows ?? 24) - 2));
    const up = paintedLines > 0 ? `\x1b[${paintedLines}A\r` : '';
    stream.write(`${up}${clearBelow}${lines.map((line) => `${line}\n`).join('')}`);
    paintedLines = lines.length;
  };
  const schedule = (): void => {
    timer ??= setTimeout(paint, paintEveryMs);
  };
  return {
    set(key, row) {
      rows.set(key, row);
      schedule();
    },
    remove(key) {
      if (rows.delete(key)) schedule();
    },
    above(write) {
      clear();
      write();
      if (rows.size > 0) schedule();
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
      rows.clear();
      clear();
    },
  };
}

import { MultiBar, Presets, type SingleBar } from 'cli-progress';

/** Shows the progress of uploads and outputs, one line for each. */
export type Progress = {
  /** `share` is from 0 to 1. `note` follows it, such as a status. */
  show(name: string, share: number, note: string): void;
  /** Prints a line above the bars. */
  say(line: string): void;
  stop(): void;
};

/** Bars on a terminal, lines in a file or a pipe. */
export const createProgress = (output: NodeJS.WriteStream): Progress => (output.isTTY ? bars(output) : lines(output));

function bars(output: NodeJS.WriteStream): Progress {
  const multiBar = new MultiBar(
    { stream: output, format: '{name} {bar} {percentage}% {note}', hideCursor: true, clearOnComplete: false },
    Presets.shades_grey,
  );
  const known = new Map<string, SingleBar>();
  return {
    show(name, share, note) {
      const payload = { name: fitted(name), note };
      if (!known.has(name)) known.set(name, multiBar.create(100, 0, payload));
      known.get(name)!.update(Math.floor(share * 100), payload);
    },
    say: (line) => multiBar.log(`${line}\n`),
    stop: () => multiBar.stop(),
  };
}

/** Shortens a long name. Its end has the name of the output. */
const fitted = (name: string): string => (name.length > 28 ? `…${name.slice(-27)}` : name.padEnd(28));

/** Prints a line when the note changes and at each quarter. */
function lines(output: NodeJS.WriteStream): Progress {
  const shown = new Map<string, string>();
  const say = (line: string) => void output.write(`${line}\n`);
  return {
    show(name, share, note) {
      const line = `${name} ${Math.floor(share * 4) * 25}% ${note}`;
      if (shown.get(name) === line) return;
      shown.set(name, line);
      say(line);
    },
    say,
    stop: () => {},
  };
}

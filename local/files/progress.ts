/** Shows the progress of uploads and outputs. */
export type Progress = {
  /** `share` is from 0 to 1. `part` is the upload or an output of the file; `note` is a status, or empty. */
  show(file: string, part: string, share: number, note: string): void;
  /** Prints a line that stays. */
  say(line: string): void;
  stop(): void;
};

/** One line that changes on a terminal, lines in a file or a pipe. */
export const createProgress = (output: NodeJS.WriteStream): Progress =>
  output.isTTY ? changingLine(output) : lines(output);

/** Returns to the start of the line and clears it. */
const clearLine = '\r\u001b[2K';

function changingLine(output: NodeJS.WriteStream): Progress {
  const files = new Map<string, Map<string, string>>();
  let drawn = '';
  const draw = (): void => {
    const all = [...files].map(([file, parts]) => `${fitted(file)} ${[...parts.values()].join(', ')}`).join(' | ');
    // A wider line would wrap, and only its last row would be replaced.
    const text = all.slice(0, (output.columns || 80) - 1);
    if (text !== drawn) output.write(`${clearLine}${text}`);
    drawn = text;
  };
  return {
    show(file, part, share, note) {
      const parts = files.get(file) ?? new Map<string, string>();
      // The outputs follow the upload.
      if (part !== 'upload') parts.delete('upload');
      const state = note === '' || note === 'running' ? `${Math.floor(share * 100)}%` : note;
      files.set(file, parts.set(part, `${part} ${state}`));
      draw();
    },
    say(line) {
      output.write(`${clearLine}${line}\n`);
      drawn = '';
      draw();
    },
    stop: () => void (drawn && output.write('\n')),
  };
}

/** Shortens a long name. Its end tells files of one folder apart. */
const fitted = (name: string): string => (name.length > 28 ? `…${name.slice(-27)}` : name);

/** Prints a line when the note changes and at each quarter. */
function lines(output: NodeJS.WriteStream): Progress {
  const shown = new Map<string, string>();
  const say = (line: string) => void output.write(`${line}\n`);
  return {
    show(file, part, share, note) {
      const name = `${file} ${part}`;
      const line = `${name} ${Math.floor(share * 4) * 25}% ${note}`;
      if (shown.get(name) === line) return;
      shown.set(name, line);
      say(line);
    },
    say,
    stop: () => {},
  };
}

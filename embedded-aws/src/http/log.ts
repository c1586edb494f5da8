const levels = ['DEBUG', 'INFO', 'WARN', 'ERROR', 'SILENT'] as const;
export type LogLevel = (typeof levels)[number];

export const isLogLevel = (text: string): text is LogLevel => levels.some((level) => level === text);

/** Whether lines of `level` are written at this threshold. */
export const isLogged = (level: LogLevel, threshold: LogLevel): boolean =>
  levels.indexOf(level) >= levels.indexOf(threshold);

/** Writes one line of a function, a task or a service for the terminal. */
export type WriteLine = (source: string, line: string) => void;

export const writeToStderr: WriteLine = (source, line) => {
  process.stderr.write(`[${source}] ${line}\n`);
};

/** Text for any thrown value. */
export const describeError = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

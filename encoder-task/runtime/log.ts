export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Record<string, unknown>;
export type Log = {
  [Level in LogLevel]: (message: string, fields?: LogFields) => void;
} & { with: (fields: LogFields) => Log };

const severity: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };

/**
 * Logs one JSON object per line. A worker's log may leave the owner's machines, so bearer tokens and the queries of
 * URLs, which contain signatures, are removed from every line.
 */
export function createLog(
  level: LogLevel,
  fields: LogFields = {},
  write = (line: string) => void process.stdout.write(line),
): Log {
  const at =
    (lineLevel: LogLevel) =>
    (message: string, lineFields: LogFields = {}): void => {
      if (severity[lineLevel] < severity[level]) return;
      const line = { time: new Date().toISOString(), level: lineLevel, message, ...fields, ...lineFields };
      write(`${withoutSecrets(JSON.stringify(line, errorsAsText))}\n`);
    };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (more) => createLog(level, { ...fields, ...more }, write),
  };
}

/** The text without URL queries and bearer tokens. */
export const withoutSecrets = (text: string): string =>
  text.replace(/(https?:\/\/[^\s"'?\\]*)\?[^\s"'\\]*/g, '$1?…').replace(/Bearer [^\s"'\\]+/g, 'Bearer …');

const errorsAsText = (_key: string, value: unknown): unknown =>
  value instanceof Error ? `${value.name}: ${value.message}` : value;

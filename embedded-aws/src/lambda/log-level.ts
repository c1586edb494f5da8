/** The levels of `LoggingConfig.ApplicationLogLevel`. */
const levels = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'];

/**
 * Whether Lambda keeps a log line of a function with JSON logs and this lowest level. Lines without a known level are
 * kept. https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html
 */
export function isLineKept(line: string, lowest: string | undefined): boolean {
  if (lowest === undefined || !line.startsWith('{')) return true;
  const level = levels.indexOf(levelOf(line));
  return level === -1 || level >= levels.indexOf(lowest);
}

function levelOf(line: string): string {
  try {
    return String((JSON.parse(line) as { level?: unknown }).level).toUpperCase();
  } catch {
    return '';
  }
}

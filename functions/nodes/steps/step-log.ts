import { StringDecoder } from 'node:string_decoder';

/** The maximum length of a log in the API. */
const tailCharacters = 65_536;
const lineCharacters = 2_000;
const reportIntervalMilliseconds = 1_000;

/** A line of a script that is meant for the service and not for the log: `##error CODE message`. */
export type ScriptMessage = { kind: string; text: string };

export type StepLog = {
  add(chunk: Buffer): void;
  /** ends an incomplete last line, and returns the log */
  finish(): string;
  messages: readonly ScriptMessage[];
};

/**
 * Keeps the end of a script's output, in lines without control characters and without the secrets.
 * @param onLog called with the log so far, at most once a second; its errors are ignored
 */
export function stepLog(secrets: readonly string[], onLog: (log: string) => unknown): StepLog {
  const decoder = new StringDecoder('utf8');
  const messages: ScriptMessage[] = [];
  let tail = '';
  let line = '';
  let timer: NodeJS.Timeout | undefined;

  const report = async (): Promise<void> => {
    timer = undefined;
    try {
      await onLog(tail);
    } catch {
      // Progress is best effort and decides nothing.
    }
  };
  const endLine = (): void => {
    const message = /^##([a-z]+) ?(.*)$/.exec(line);
    if (message) messages.push({ kind: message[1]!, text: cleaned(message[2]!, secrets) });
    else tail = `${tail}${cleaned(line, secrets)}\n`.slice(-tailCharacters);
    line = '';
  };
  const append = (text: string): void => {
    for (const [index, piece] of text.split('\n').entries()) {
      if (index > 0) endLine();
      // The rest of a very long line is dropped, to limit the memory.
      line += piece.slice(0, Math.max(0, lineCharacters - line.length));
    }
    timer ??= setTimeout(report, reportIntervalMilliseconds);
  };
  return {
    messages,
    add: (chunk) => append(decoder.write(chunk)),
    finish() {
      clearTimeout(timer);
      line += decoder.end();
      if (line !== '') endLine();
      return tail;
    },
  };
}

/** Removes secrets, overwritten parts, colours and control characters. */
const cleaned = (line: string, secrets: readonly string[]): string =>
  secrets
    .reduce((text, secret) => text.replaceAll(secret, '***'), line.slice(line.lastIndexOf('\r', line.length - 2) + 1))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
    .replace(/\u001b\[[0-9;?]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');

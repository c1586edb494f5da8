import { StringDecoder } from 'node:string_decoder';

/** As long as the interface allows a log to be. */
const tailCharacters = 65_536;
const lineCharacters = 2_000;
const tellEveryMilliseconds = 1_000;

/** What a script says to the service rather than to the reader: `##error CODE sentence`. */
export type ScriptMessage = { kind: string; text: string };

export type StepLog = {
  add(chunk: Buffer): void;
  /** takes what came without a line's end; the log afterwards */
  finish(): string;
  messages: readonly ScriptMessage[];
};

/**
 * Keeps the end of a script's output, in lines without control characters and without the secrets.
 * @param onLog is told the log so far, at most once a second; what it throws or rejects with is its own affair
 */
export function stepLog(secrets: readonly string[], onLog: (log: string) => unknown): StepLog {
  const decoder = new StringDecoder('utf8');
  const messages: ScriptMessage[] = [];
  let tail = '';
  let line = '';
  let timer: NodeJS.Timeout | undefined;

  const tell = async (): Promise<void> => {
    timer = undefined;
    try {
      await onLog(tail);
    } catch {
      // Progress is best effort and decides nothing.
    }
  };
  const end = (): void => {
    const message = /^##([a-z]+) ?(.*)$/.exec(line);
    if (message) messages.push({ kind: message[1]!, text: shown(message[2]!, secrets) });
    else tail = `${tail}${shown(line, secrets)}\n`.slice(-tailCharacters);
    line = '';
  };
  const take = (text: string): void => {
    for (const [index, piece] of text.split('\n').entries()) {
      if (index > 0) end();
      // The rest of an endless line is of no use to a reader, and would fill the memory.
      line += piece.slice(0, Math.max(0, lineCharacters - line.length));
    }
    timer ??= setTimeout(tell, tellEveryMilliseconds);
  };
  return {
    messages,
    add: (chunk) => take(decoder.write(chunk)),
    finish() {
      clearTimeout(timer);
      line += decoder.end();
      if (line !== '') end();
      return tail;
    },
  };
}

/** Programs colour and overwrite their lines; a log is plain text. */
const shown = (line: string, secrets: readonly string[]): string =>
  secrets
    .reduce((text, secret) => text.replaceAll(secret, '***'), line.slice(line.lastIndexOf('\r', line.length - 2) + 1))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to go
    .replace(/\u001b\[[0-9;?]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');

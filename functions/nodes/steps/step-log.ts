import { StringDecoder } from 'node:string_decoder';

/** The maximum length of a log in the API. */
const logCharacters = 65_536;
const lineCharacters = 2_000;
/** More than a script prints: the first ones decide, and the rest is dropped, to limit the memory. */
const maxMessages = 100;
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
 * @param tailCharacters how much of the end is kept
 */
export function stepLog(
  secrets: readonly string[],
  onLog: (log: string) => unknown,
  tailCharacters = logCharacters,
): StepLog {
  const decoder = new StringDecoder('utf8');
  const redaction = redactionOf(secrets);
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
    const isCut = line.length >= redaction.maxCharacters;
    const message = /^##([a-z]+) ?(.*)$/.exec(line);
    if (!message) tail = `${tail}${redaction.apply(line, isCut)}\n`.slice(-tailCharacters);
    else if (messages.length < maxMessages)
      messages.push({ kind: message[1]!, text: redaction.apply(message[2]!, isCut) });
    line = '';
  };
  const append = (text: string): void => {
    for (const [index, piece] of text.split('\n').entries()) {
      if (index > 0) endLine();
      // The rest of a very long line is dropped, to limit the memory.
      line += piece.slice(0, Math.max(0, redaction.maxCharacters - line.length));
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

/** Stands for one character of a secret, so that what follows keeps its position. No cleaned line has it. */
const masked = '\0';

/** Of each line `maxCharacters` are needed, so that a secret is known that begins in the part that is shown. */
function redactionOf(secrets: readonly string[]) {
  // A secret can be a part of another one.
  const longestFirst = secrets.toSorted((one, other) => other.length - one.length);
  const longest = longestFirst[0]?.length ?? 0;
  return {
    maxCharacters: lineCharacters + longest,
    apply(line: string, isCut: boolean): string {
      const all = longestFirst.reduce(
        (rest, secret) => rest.replaceAll(secret, masked.repeat(secret.length)),
        cleaned(line),
      );
      // The end of a line that was cut can be the beginning of a secret.
      const known = isCut ? Math.max(0, all.length - longest + 1) : all.length;
      return all.slice(0, Math.min(lineCharacters, known)).replaceAll(maskedRun, '***');
    },
  };
}

const maskedRun = new RegExp(`${masked}+`, 'g');

/** Without overwritten parts, colours and control characters. */
const cleaned = (line: string): string =>
  line
    .slice(line.lastIndexOf('\r', line.length - 2) + 1)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
    .replace(/\u001b\[[0-9;?]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');

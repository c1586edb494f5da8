/**
 * One line of a journal: a history event or, without `id`, a record for the interpreter only. Applying the lines of an
 * execution in order restores its state. Payloads are JSON values; the API returns them as strings.
 */
export type Line = {
  /**
   * The index of a child execution. It is the first member, so that a reader can skip the lines of other children
   * without parsing them.
   */
  child?: string;
  /** The frame: '' is the flow of the execution itself, '3.0' is branch 0 in iteration 3. */
  path: string;
  type: string;
  atMs: number;
  id?: number;
  previousId?: number;
  details?: Record<string, unknown>;
  /** State that a restart needs and that the history does not contain. */
  facts?: Record<string, unknown>;
};

/** The start of every line of a child execution. No other line starts with it. */
export function childPrefix(child: string): string {
  return `{"child":${JSON.stringify(child)},`;
}

/** An append-only file of JSON lines. */
export type Journal = {
  /**
   * When this returns, the operating system has the line: it survives a kill of the process, but not yet a power
   * failure.
   */
  append(line: Line): void;
  /** Resolves when all appended lines are on the disk. Concurrent callers share one flush. */
  synced(): Promise<void>;
  close(): void;
};

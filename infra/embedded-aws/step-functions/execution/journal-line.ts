/**
 * One line of a journal: a history event, or (without `id`) a note that only the interpreter needs. Replaying the lines of an
 * execution in order gives its state. Payloads are kept as values, and become strings when the history is asked for.
 */
export type Line = {
  /** Which child of a map run; first in the object, so that a reader can skip the other children's lines unparsed. */
  child?: string;
  /** Which frame: '' is the execution's own flow, '3.0' branch 0 inside iteration 3. */
  path: string;
  type: string;
  atMs: number;
  id?: number;
  previousId?: number;
  details?: Record<string, unknown>;
  /** What the interpreter must know again after a restart and the history does not show. */
  facts?: Record<string, unknown>;
};

/** The beginning of every line of a child; no other line begins so. */
export function childPrefix(child: string): string {
  return `{"child":${JSON.stringify(child)},`;
}

/** An append-only file of JSON lines. */
export type Journal = {
  /** The line is with the operating system when this returns: a killed process loses nothing. */
  append(line: Line): void;
  /** Resolves when all that was appended is on the disk. Concurrent callers share one flush. */
  synced(): Promise<void>;
  close(): void;
};

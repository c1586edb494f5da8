import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { appendWhole } from '../../durable/append-whole.ts';
import type { ExecutionStatus } from '../execution/execution-status.ts';
import type { MapRunRecord } from '../execution/map-run.ts';

/** What memory holds of an ended execution. The rest is in its folder. */
export type Summary = {
  id: string;
  arn: string;
  name: string;
  machineArn: string;
  definitionId: string;
  status: ExecutionStatus;
  startMs: number;
  stopMs: number;
  mapRuns: MapRunRecord[];
};

export type Store = {
  /** Stays the same as long as the folder exists. */
  tokenKey: Uint8Array;
  runningIds(): string[];
  runningFolder(id: string): string;
  finishedFolder(id: string): string;
  summaries(): Summary[];
  /** Finished executions that have no summary, because the process was killed before it wrote one. */
  unlistedIds(): string[];
  create(id: string): string;
  /** Moves an ended execution to the finished ones, which the next start does not load. */
  finish(summary: Summary): void;
  list(summary: Summary): void;
  discard(id: string): void;
  /** Moves a folder that cannot be read to `damaged/`, for inspection. Returns its path. */
  quarantine(id: string): string;
  saveDefinition(text: string): string;
  definition(id: string): string;
};

/** How long Step Functions keeps ended executions. */
export const retentionMs = 90 * 24 * 3600 * 1000;
const KEY_BYTES = 32;

/**
 * `running/<id>/` and `finished/<id>/` contain journals, `finished.jsonl` summaries, and `definitions/` each definition
 * that an execution was started with. Finished executions are deleted after 90 days, as in Step Functions.
 */
export function openStore(folder: string, nowMs: number): Store {
  const path = (...parts: string[]) => join(folder, ...parts);
  for (const name of ['running', 'finished', 'definitions']) mkdirSync(path(name), { recursive: true });
  const listEntry = readSummaries(path('finished.jsonl'));
  const kept = listEntry.filter((summary) => summary.stopMs >= nowMs - retentionMs);
  if (kept.length < listEntry.length) {
    for (const { id } of listEntry.filter((summary) => !kept.includes(summary))) {
      rmSync(path('finished', id), { recursive: true, force: true });
    }
    writeWhole(path('finished.jsonl'), kept.map((summary) => `${JSON.stringify(summary)}\n`).join(''));
  }

  const list = (summary: Summary) => appendWhole(path('finished.jsonl'), `${JSON.stringify(summary)}\n`);
  return {
    tokenKey: tokenKey(path('token-key')),
    runningIds: () => readdirSync(path('running')),
    runningFolder: (id) => path('running', id),
    finishedFolder: (id) => path('finished', id),
    summaries: () => kept,
    unlistedIds() {
      const known = new Set(kept.map(({ id }) => id));
      return readdirSync(path('finished')).filter((id) => !known.has(id));
    },
    create(id) {
      mkdirSync(path('running', id));
      return path('running', id);
    },
    list,
    finish(summary) {
      list(summary);
      renameSync(path('running', summary.id), path('finished', summary.id));
    },
    discard: (id) => rmSync(path('running', id), { recursive: true, force: true }),
    quarantine(id) {
      mkdirSync(path('damaged'), { recursive: true });
      renameSync(path('running', id), path('damaged', id));
      return path('damaged', id);
    },
    saveDefinition(text) {
      const id = createHash('sha256').update(text).digest('hex');
      const file = path('definitions', `${id}.json`);
      if (!existsSync(file)) writeWhole(file, text);
      return id;
    },
    definition: (id) => readFileSync(path('definitions', `${id}.json`), 'utf8'),
  };
}

function tokenKey(file: string): Uint8Array {
  if (!existsSync(file)) writeWhole(file, randomBytes(KEY_BYTES));
  return readFileSync(file);
}

function writeWhole(file: string, content: string | Uint8Array): void {
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** The last summary of each execution, in the order of their start. An incomplete last line is removed. */
function readSummaries(file: string): Summary[] {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole.length < text.length) writeWhole(file, whole);
  const summaries = new Map<string, Summary>();
  for (const line of whole.split('\n')) {
    if (line === '') continue;
    const summary: Summary = JSON.parse(line);
    summaries.set(summary.id, summary);
  }
  return [...summaries.values()];
}

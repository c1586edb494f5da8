import { hash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { appendWhole } from '../../durable/append-whole.ts';
import { fromCheckedLine, toCheckedLine } from '../../durable/checked-line.ts';
import { DamagedData } from '../../durable/damaged-data.ts';
import { readKey, writeWhole } from '../../durable/whole-file.ts';
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
    replaceWhole(path('finished.jsonl'), kept.map(toCheckedLine).join(''));
  }

  const list = (summary: Summary) => appendWhole(path('finished.jsonl'), toCheckedLine(summary));
  return {
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
      const id = hash('sha256', text);
      const file = path('definitions', `${id}.json`);
      if (!existsSync(file) || hash('sha256', readFileSync(file)) !== id) replaceWhole(file, text);
      return id;
    },
    definition(id) {
      const file = path('definitions', `${id}.json`);
      const text = readFileSync(file, 'utf8');
      if (hash('sha256', text) !== id) throw new DamagedData(file, 'is damaged.');
      return text;
    },
  };
}

/** The key of task tokens stays the same as long as the folder exists. @throws DamagedData */
export async function readTokenKey(folder: string): Promise<Uint8Array> {
  const file = join(folder, 'token-key');
  const known = await readKey(file, KEY_BYTES);
  const key = known ?? randomBytes(KEY_BYTES);
  if (!known) await writeWhole(file, key);
  return key;
}

function replaceWhole(file: string, content: string | Uint8Array): void {
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/**
 * The last summary of each execution, in the order of their start. Damaged lines are removed: such an execution gets
 * its summary again from its journal.
 */
function readSummaries(file: string): Summary[] {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, 'utf8');
  const summaries = new Map<string, Summary>();
  const lines = text.split('\n');
  const rest = lines.pop();
  let hasDamage = rest !== '';
  for (const line of lines) {
    const found = fromCheckedLine<Summary>(Buffer.from(line));
    if (found) summaries.set(found.value.id, found.value);
    else hasDamage = true;
  }
  if (hasDamage) replaceWhole(file, [...summaries.values()].map(toCheckedLine).join(''));
  return [...summaries.values()];
}

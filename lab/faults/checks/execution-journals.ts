import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fromCheckedLine, type JournalLine as Line } from 'embedded-aws/testing';
import type { Edge } from '../injected/fault.ts';
import { MomentMissed } from '../injected/moment-missed.ts';

/** Reads journals instead of the API, because a state may begin and end within milliseconds. */
const lookEveryMs = 5;
const longestMs = 180_000;

/**
 * Resolves when an execution of a video has entered or left a state. @throws after three minutes, or when all its
 * executions ended before
 */
export async function edgeReached(dataFolder: string, videoUlid: string, { state, edge }: Edge): Promise<void> {
  const type = edge === 'entered' ? 'StateEntered' : 'StateExited';
  const endMs = Date.now() + longestMs;
  const known = new Map<string, boolean>();
  while (Date.now() < endMs) {
    const journals = await journalsAbout(join(dataFolder, 'executions'), videoUlid, known);
    const lines = journals.map((text) => text.split('\n').filter((line) => line.endsWith('}')));
    const isEdge = (line: string): boolean => line.includes(`${type}"`) && nameOf(line) === state;
    if (lines.some((journal) => journal.some(isEdge))) return;
    if (lines.length > 0 && lines.every((journal) => hasEnded(journal.at(-1) ?? ''))) {
      throw new MomentMissed(`no execution of ${videoUlid} has ${edge} ${state}`);
    }
    await sleep(lookEveryMs);
  }
  throw new MomentMissed(`${videoUlid} has not ${edge} ${state} within ${longestMs / 1000} s`);
}

/** Journals of executions of the video, running or finished. `known` caches which executions are. */
async function journalsAbout(folder: string, videoUlid: string, known: Map<string, boolean>): Promise<string[]> {
  const running = await readdir(join(folder, 'running')).catch(() => []);
  for (const id of running.filter((one) => !known.has(one))) {
    const text = await journal(join(folder, 'running', id));
    const firstLine = text.slice(0, text.indexOf('\n') + 1);
    if (firstLine !== '') known.set(id, firstLine.includes(videoUlid));
  }
  const ids = [...known].filter(([, isAbout]) => isAbout).map(([id]) => id);
  const texts = await Promise.all(
    ids.map(async (id) => (await journal(join(folder, 'running', id))) || journal(join(folder, 'finished', id))),
  );
  return texts.filter((text) => text !== '');
}

const journal = (execution: string): Promise<string> =>
  readFile(join(execution, 'execution.jsonl'), 'utf8').catch(() => '');

const nameOf = (line: string): unknown => fromCheckedLine<Line>(Buffer.from(line))?.value.details?.name;
const hasEnded = (line: string): boolean => /"type":"Execution(Succeeded|Failed|TimedOut|Aborted)"/.test(line);

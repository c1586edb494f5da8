import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { bodyOf } from '../../api.ts';
import type { components } from '../../api-types.ts';
import { eventTypes } from '../../event-types.ts';
import { sleep } from '../../sleep.ts';
import { reasonText } from '../../texts/describe-codes.ts';
import { integerOption, listOption, textOption } from '../arguments/read-options.ts';
import type { CliRun } from '../cli-run.ts';
import { exitCode, usageError } from '../exit-code.ts';
import { printable } from '../output/text.ts';
import type { Words } from '../output/words.ts';

type Event = components['schemas']['Event'];
const eventsPerPage = 100;

/** `events`. @returns the exit code */
export async function eventsCommand({ options, client, reporter, signal, words }: CliRun): Promise<number> {
  const waitMs = 1000 * integerOption(options, 'interval', { min: 1, max: 3600, otherwise: 5 });
  const types = listOption(options, 'types');
  const unknown = types?.find((type) => !eventTypes.some((known) => known === type));
  if (unknown !== undefined) throw usageError(`There are no events '${unknown}'. Types: ${eventTypes.join(', ')}`);
  const cursorFile = textOption(options, 'cursor-file');
  const given = textOption(options, 'after');
  if (given !== undefined && cursorFile !== undefined) throw usageError('Pass --after or --cursor-file, not both.');
  let cursor = given ?? (cursorFile === undefined ? undefined : await readCursor(cursorFile));
  for (;;) {
    const query = { per_page: eventsPerPage, ...(cursor !== undefined && { after: cursor }) };
    const { data, meta } = await bodyOf(client.api.GET('/api/events', { params: { query }, signal }));
    for (const event of data) {
      if (types === undefined || types.includes(event.type)) reporter.result(event, [lineOf(event, words)]);
    }
    const next = meta.next_cursor ?? cursor;
    // After printing: a killed command prints an event twice rather than never.
    if (cursorFile !== undefined && next !== undefined && next !== cursor) await writeCursor(cursorFile, next);
    const isMore = data.length > 0 && meta.next_cursor !== null && next !== cursor;
    cursor = next;
    if (isMore) continue;
    if (!options.follow) break;
    await sleep(waitMs, signal);
  }
  if (cursor !== undefined && cursorFile === undefined) reporter.note(`Continue with: --after ${printable(cursor)}`);
  return exitCode.ok;
}

/** The time, the type and what it is about. Outputs, streams and captions name their video first. */
function lineOf({ type, timestamp, data }: Event, { codes }: Words): string {
  const textsOf = (field: string): string[] => (typeof data[field] === 'string' ? [data[field]] : []);
  const statuses: Readonly<Record<string, string>> = codes.statuses;
  const texts = [
    timestamp,
    type.padEnd(18),
    ...['video_ulid', 'ulid', 'name'].flatMap(textsOf),
    ...textsOf('status').map((status) => statuses[status] ?? status),
    ...['error', 'error_log'].flatMap(textsOf).map((reason) => reasonText(codes, reason)),
  ];
  return texts.map(printable).join('  ');
}

async function readCursor(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim() || undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw usageError(`${path} cannot be read (${code}).`);
  }
}

async function writeCursor(path: string, cursor: string): Promise<void> {
  const next = `${path}.${randomUUID()}`;
  await writeFile(next, `${cursor}\n`, { flag: 'wx', flush: true });
  await rename(next, path);
}

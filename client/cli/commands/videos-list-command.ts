import { bodyOf } from '../../api.ts';
import type { components, operations } from '../../api-types.ts';
import { codeTextsEn } from '../../texts/code-texts-en.ts';
import { integerOption, textOption, textsOption } from '../arguments/read-options.ts';
import type { CliRun } from '../cli-run.ts';
import { exitCode, usageError } from '../exit-code.ts';
import { formatSeconds, printable, table } from '../output/text.ts';
import { findTemplate } from '../service/find-template.ts';

type Item = components['schemas']['VideoListItem'];
type Query = NonNullable<operations['listVideos']['parameters']['query']>;
type Status = components['schemas']['VideoStatus'];

const statuses: readonly Status[] = ['pending', 'downloading', 'running', 'uploading', 'completed', 'failed'];
const maxPerPage = 100;
/** Of all videos. Only a list with a filter is continued by a cursor. */
const firstDay = '1970-01-01';

/** `videos`. @returns the exit code */
export async function videosListCommand({ options, client, reporter, signal, words }: CliRun): Promise<number> {
  const limit = integerOption(options, 'limit', { min: 1, max: 10_000, otherwise: 20 });
  const filters = await readFilters(options, client);
  const items: Item[] = [];
  let cursor = textOption(options, 'cursor') ?? null;
  do {
    const per_page = Math.min(maxPerPage, limit - items.length);
    const query: Query = { ...filters, per_page, ...(cursor !== null && { cursor }) };
    const { data, meta } = await bodyOf(client.api.GET('/api/videos', { params: { query }, signal }));
    items.push(...data);
    cursor = 'next_cursor' in meta ? meta.next_cursor : null;
  } while (cursor && items.length < limit);
  const { columns, codes } = words;
  const rows = items.map(({ ulid, status, duration, created_at, name }) => [
    ulid,
    codes.statuses[status],
    duration === null ? '-' : formatSeconds(duration),
    created_at.slice(0, 16).replace('T', ' '),
    printable(name),
  ]);
  const lines =
    items.length === 0 ? [] : table([['ULID', columns.status, columns.length, columns.created, columns.name], ...rows]);
  reporter.result({ data: items, next_cursor: cursor }, lines);
  if (items.length === 0) reporter.note(words.noVideos);
  if (cursor) reporter.note(`There are more: --limit ${limit * 2}, or --cursor ${cursor}`);
  return exitCode.ok;
}

async function readFilters(options: CliRun['options'], { api }: CliRun['client']) {
  const given = textOption(options, 'status');
  const status = given === undefined ? undefined : statusOf(given);
  const q = textOption(options, 'search');
  if (options.transcripts === true && q === undefined) throw usageError('--transcripts needs --search WORDS.');
  const template = textOption(options, 'template');
  const user = textOption(options, 'external-user-id');
  const tag = textsOption(options, 'tag');
  return {
    created_from: firstDay,
    ...(status !== undefined && { status }),
    ...(q !== undefined && { q }),
    ...(options.transcripts === true && { in: 'transcript' as const }),
    ...(template !== undefined && { template_id: (await findTemplate(api, template)).id }),
    ...(user !== undefined && { external_user_id: user }),
    ...(tag && { tag }),
  };
}

const shownStatus = (status: Status): string => codeTextsEn.statuses[status].toLowerCase();

/** By its name in the API, or as the list shows it in English. */
function statusOf(given: string): Status {
  const status = statuses.find((known) => known === given || shownStatus(known) === given.toLowerCase());
  if (status !== undefined) return status;
  throw usageError(`--status is one of ${statuses.map(shownStatus).join(', ')}, not '${given}'.`);
}

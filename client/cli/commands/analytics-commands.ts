import { bodyOf } from '../../api.ts';
import type { components, operations } from '../../api-types.ts';
import { textOption } from '../arguments/read-options.ts';
import { videoUlid } from '../arguments/video-ulid.ts';
import type { CliRun } from '../cli-run.ts';
import { exitCode } from '../exit-code.ts';
import { printable, table } from '../output/text.ts';

type UsageQuery = operations['usage']['parameters']['query'];
type Distribution = components['schemas']['Distribution'];

const dayMilliseconds = 86_400_000;
const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

/** The service checks the days. By default the last 30 until today, UTC. */
function rangeOf(options: CliRun['options']): { from: string; to: string } {
  const to = textOption(options, 'to') ?? dayOf(Date.now());
  const end = Number.isNaN(Date.parse(to)) ? Date.now() : Date.parse(to);
  return { from: textOption(options, 'from') ?? dayOf(end - 29 * dayMilliseconds), to };
}

/** `usage`. @returns the exit code, as all commands here */
export async function usageCommand({ options, client, reporter, signal, words }: CliRun): Promise<number> {
  const metric = (textOption(options, 'metric') ?? '*') as NonNullable<UsageQuery['metric']>;
  const external = textOption(options, 'external-user-id');
  const query: UsageQuery = {
    ...rangeOf(options),
    metric,
    ...(external !== undefined && { external_user_id: external }),
  };
  const { data } = await bodyOf(client.api.GET('/api/usage', { params: { query }, signal }));
  const { columns } = words;
  const rows = data.map((row) => [row.date, row.metric, String(row.value), printable(row.external_user_id ?? '-')]);
  const head = [columns.day, columns.metric, columns.value, columns.externalUser];
  reporter.result({ data }, rows.length === 0 ? [] : table([head, ...rows]));
  if (rows.length === 0) reporter.note(words.nothingUsed);
  return exitCode.ok;
}

/** `videos analytics ULID` */
export async function videoAnalyticsCommand(cliRun: CliRun): Promise<number> {
  const { operands, options, client, reporter, signal, words } = cliRun;
  const params = { path: { ulid: videoUlid(operands[0] ?? '') }, query: rangeOf(options) };
  const { data } = await bodyOf(client.api.GET('/api/videos/{ulid}/analytics', { params, signal }));
  const { columns } = words;
  const rows = data.views.series.flatMap(({ date, count }, index) => {
    const seconds = data.watched.series[index]?.seconds ?? 0;
    const bytes = data.delivered.series[index]?.bytes ?? 0;
    return count + seconds + bytes === 0 ? [] : [[date, String(count), String(seconds), String(bytes)]];
  });
  const total = ['=', ...[data.views.total, data.watched.total_seconds, data.delivered.total_bytes].map(String)];
  const median = ({ median: value, count }: Distribution): string =>
    value === null ? '-' : `${Math.round(value * 1000) / 1000} (${count})`;
  const { startup_ms, rebuffering_share, bitrate_kbps, errors } = data.playback;
  reporter.result({ data }, [
    ...table([[columns.day, columns.views, columns.watchedSeconds, columns.bytes], ...rows, total]),
    `startup_ms ${median(startup_ms)}, rebuffering_share ${median(rebuffering_share)}, bitrate_kbps ${median(bitrate_kbps)}, errors ${median(errors)}`,
  ]);
  return exitCode.ok;
}

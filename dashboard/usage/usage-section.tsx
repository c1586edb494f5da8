import { api } from '../api/client.ts';
import { useResource } from '../api/use-resource.ts';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Loading } from '../components/loading.tsx';
import { TableBox } from '../components/table-box.tsx';
import { formatBytes, formatCpuTime, formatNumber, formatWatchTime } from '../messages/format.ts';
import { text } from '../messages/messages.ts';
import { decimalSteps, timeSteps } from './chart-options.ts';
import { csv, downloadCsv } from './csv.ts';
import { type DateRange, splitRange } from './date-range.ts';
import { DayFigure } from './day-figure.tsx';
import { loadRanges } from './load-ranges.ts';
import { TopVideos } from './top-videos.tsx';
import { dailySums, isLevel, sumsByUser, type UsageRow } from './usage-sums.ts';

type UsageSectionProps = {
  range: DateRange;
  /** another user, for administrators */
  userId: number | undefined;
};

const figures = [
  ['views', formatNumber, decimalSteps],
  ['watched_seconds', formatWatchTime, timeSteps],
  ['delivered_bytes', formatBytes, decimalSteps],
  ['stored_bytes', formatBytes, decimalSteps],
  ['upload_bytes', formatBytes, decimalSteps],
  ['encoding_cpu', formatCpuTime, timeSteps],
] as const;

/** What one user has uploaded, encoded and stored, and what viewers have watched. */
export function UsageSection({ range, userId }: UsageSectionProps) {
  const { usage: messages } = text.value;
  const user = userId === undefined ? {} : { user_id: userId };
  const { data, error, reload } = useResource(
    (signal) =>
      loadRanges(splitRange(range), (dates) =>
        api.GET('/api/usage', { params: { query: { ...dates, ...user, metric: '*' } }, signal }),
      ),
    { key: `usage ${range.from} ${range.to} ${userId}` },
  );
  const rows = data?.flatMap((response) => response.data);
  return (
    <div class="usage-section">
      <ErrorNotice error={error} onRetry={reload} />
      {rows === undefined && error === undefined && <Loading />}
      {rows?.length === 0 && (
        <EmptyState title={messages.none}>
          <p>{messages.noneHint}</p>
        </EmptyState>
      )}
      {rows !== undefined && rows.length > 0 && (
        <>
          <div class="charts">
            {figures.map(([metric, format, valueSteps]) => (
              <DayFigure
                key={metric}
                title={messages.metrics[metric]}
                days={dailySums(rows, metric, range)}
                format={format}
                valueSteps={valueSteps}
                isLevel={isLevel(metric)}
              />
            ))}
          </div>
          <TopVideos range={range} userId={userId} />
          <ByUser rows={rows} />
          <div class="row">
            <Button onClick={() => downloadCsv(`usage-${range.from}-${range.to}.csv`, csv(usageRows(rows)))}>
              {messages.download}
            </Button>
          </div>
        </>
      )}
      <ApiCall method="GET" path="/api/usage" query={{ ...range, ...user, metric: '*' }} />
    </div>
  );
}

const usageRows = (rows: readonly UsageRow[]) => [
  ['date', 'metric', 'external_user_id', 'value'],
  ...rows.map(({ date, metric, external_user_id, value }) => [date, metric, external_user_id, value]),
];

function ByUser({ rows }: { rows: readonly UsageRow[] }) {
  const { usage: messages } = text.value;
  return (
    <Card title={messages.byUser}>
      <TableBox label={messages.tableOf(messages.byUser)}>
        <thead>
          <tr>
            <th scope="col">{messages.externalUser}</th>
            {figures.map(([metric]) => (
              <th key={metric} scope="col" class="numeric">
                {messages.metrics[metric]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sumsByUser(rows).map(({ externalUserId, ...sums }) => (
            <tr key={externalUserId}>
              <th scope="row">{externalUserId ?? <em>{messages.noExternalUser}</em>}</th>
              {figures.map(([metric, format]) => (
                <td key={metric} class="numeric">
                  {format(sums[metric])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </TableBox>
    </Card>
  );
}

import { api } from '../api/client.ts';
import { useResource } from '../api/use-resource.ts';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Loading } from '../components/loading.tsx';
import { formatBytes, formatCpuTime, formatNumber, formatWatchTime } from '../messages/format.ts';
import { text } from '../messages/messages.ts';
import { type AnalyticsDay, analyticsDays, analyticsRows } from './analytics-days.ts';
import { decimalSteps, timeSteps } from './chart-options.ts';
import { csv, downloadCsv } from './csv.ts';
import { type DateRange, splitRange } from './date-range.ts';
import { DayFigure } from './day-figure.tsx';
import { loadRanges } from './load-ranges.ts';
import { TopVideoTable } from './top-videos.tsx';

const figures = [
  ['views', formatNumber, decimalSteps],
  ['watchedSeconds', formatWatchTime, timeSteps],
  ['bytes', formatBytes, decimalSteps],
  ['sessions', formatNumber, decimalSteps],
  ['completed', formatNumber, decimalSteps],
  ['failed', formatNumber, decimalSteps],
  ['cpuSeconds', formatCpuTime, timeSteps],
] as const;

/** Traffic, plays and encoding of the whole service, for administrators. */
export function AnalyticsSection({ range }: { range: DateRange }) {
  const { usage: messages } = text.value;
  const { data, error, reload } = useResource(
    (signal) => loadRanges(splitRange(range), (query) => api.GET('/api/analytics', { params: { query }, signal })),
    { key: `analytics ${range.from} ${range.to}` },
  );
  const days = data && analyticsDays(data.map((response) => response.data));
  // Of several ranges, the last one.
  const mostWatched = data?.at(-1)?.data.top_videos;
  return (
    <div class="usage-section">
      <ErrorNotice error={error} onRetry={reload} />
      {days === undefined && error === undefined && <Loading />}
      {days !== undefined && (
        <>
          <div class="charts">
            {figures.map(([name, format, valueSteps]) => (
              <DayFigure
                key={name}
                title={messages.analytics[name]}
                days={valuesOf(days, name)}
                format={format}
                valueSteps={valueSteps}
              />
            ))}
          </div>
          {mostWatched && <TopVideoTable {...mostWatched} />}
          <div class="row">
            <Button onClick={() => downloadCsv(`analytics-${range.from}-${range.to}.csv`, csv(analyticsRows(days)))}>
              {messages.download}
            </Button>
          </div>
        </>
      )}
      <ApiCall method="GET" path="/api/analytics" query={range} />
    </div>
  );
}

const valuesOf = (days: readonly AnalyticsDay[], name: (typeof figures)[number][0]) =>
  days.map((day) => ({ date: day.date, value: day[name] }));

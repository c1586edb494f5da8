import '../../usage/usage.css';
import './views.css';
import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { ApiCall } from '../../components/api-call.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/loading.tsx';
import { formatBytes, formatNumber, formatWatchTime } from '../../messages/format.ts';
import { text } from '../../messages/messages.ts';
import { decimalSteps, timeSteps } from '../../usage/chart-options.ts';
import { choiceOf, type RangeChoice, today } from '../../usage/date-range.ts';
import { DayFigure } from '../../usage/day-figure.tsx';
import { RangePresets } from '../../usage/range-picker.tsx';
import { AudienceCurve } from './audience-curve.tsx';
import { PlaybackQuality } from './playback-quality.tsx';

/** How often and how far a video was watched, and how playback was. */
export function ViewsSection({ ulid }: { ulid: string }) {
  const [choice, setChoice] = useState<RangeChoice>(() => choiceOf({}, today()));
  const { views: messages } = text.value;
  const { from, to } = choice;
  const { data, error, reload } = useResource(
    (signal) => api.GET('/api/videos/{ulid}/analytics', { params: { path: { ulid }, query: { from, to } }, signal }),
    { key: `analytics ${ulid} ${from} ${to}` },
  );
  const analytics = data?.data;
  return (
    <section class="usage-section" aria-labelledby="views-title">
      <div class="usage-controls views-head">
        <h2 id="views-title">{messages.title}</h2>
        <RangePresets choice={choice} today={today()} onChoice={setChoice} />
      </div>
      <p class="hint">{messages.hint}</p>
      <ErrorNotice error={error} onRetry={reload} />
      {analytics === undefined && error === undefined && <Loading />}
      {analytics?.views.total === 0 && analytics.delivered.total_bytes === 0 && (
        <EmptyState title={messages.empty}>
          <p>{messages.emptyHint}</p>
        </EmptyState>
      )}
      {analytics !== undefined && (analytics.views.total > 0 || analytics.delivered.total_bytes > 0) && (
        <>
          <div class="charts">
            <DayFigure
              title={messages.views}
              days={analytics.views.series.map(({ date, count }) => ({ date, value: count }))}
              format={formatNumber}
              valueSteps={decimalSteps}
            />
            <DayFigure
              title={messages.watched}
              days={analytics.watched.series.map(({ date, seconds }) => ({ date, value: seconds }))}
              format={formatWatchTime}
              valueSteps={timeSteps}
            />
            <DayFigure
              title={messages.delivered}
              days={analytics.delivered.series.map(({ date, bytes }) => ({ date, value: bytes }))}
              format={formatBytes}
              valueSteps={decimalSteps}
            />
          </div>
          <div class="charts">
            {analytics.audience.duration_seconds !== null && (
              <AudienceCurve
                reached={analytics.audience.reached}
                durationSeconds={analytics.audience.duration_seconds}
              />
            )}
            <PlaybackQuality playback={analytics.playback} />
          </div>
        </>
      )}
      <ApiCall method="GET" path={`/api/videos/${ulid}/analytics`} query={{ from, to }} />
    </section>
  );
}

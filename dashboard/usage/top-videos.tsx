import { useState } from 'preact/hooks';
import type { components } from '../../client/api-types.ts';
import { api } from '../api/client.ts';
import { useResource } from '../api/use-resource.ts';
import { ApiCall } from '../components/api-call.tsx';
import { Card } from '../components/card.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { SelectField } from '../components/field.tsx';
import { Loading } from '../components/loading.tsx';
import { TableBox } from '../components/table-box.tsx';
import { formatBytes, formatDate, formatNumber, formatWatchTime } from '../messages/format.ts';
import { text } from '../messages/messages.ts';
import { addDays, type DateRange, dayCount } from './date-range.ts';

type WatchedVideo = components['schemas']['WatchedVideo'];

const orders = ['views', 'watched', 'bytes'] as const;
type Order = (typeof orders)[number];

/** The API ranks the videos of at most this many days. */
const maxDays = 366;

type TopVideosProps = {
  range: DateRange;
  /** another user, for administrators */
  userId: number | undefined;
};

/** The videos of a user that were watched most. Of a longer range, its last year. */
export function TopVideos({ range, userId }: TopVideosProps) {
  const [order, setOrder] = useState<Order>('views');
  const { views: messages } = text.value;
  const from = dayCount(range) > maxDays ? addDays(range.to, 1 - maxDays) : range.from;
  const query = { from, to: range.to, order, ...(userId !== undefined && { user_id: userId }) };
  const { data, error, reload } = useResource(
    (signal) => api.GET('/api/analytics/videos', { params: { query }, signal }),
    { key: JSON.stringify(query) },
  );
  return (
    <Card title={messages.topVideos}>
      <div class="stack">
        <div class="usage-controls">
          <SelectField
            label={messages.order}
            value={order}
            onValue={(value) => setOrder(orders.find((one) => one === value) ?? 'views')}
            options={orders.map((value) => ({ value, label: messages.orders[value] }))}
          />
        </div>
        <ErrorNotice error={error} onRetry={reload} />
        {data === undefined && error === undefined && <Loading />}
        {data && <Videos from={data.meta.from} videos={data.data} />}
        <ApiCall method="GET" path="/api/analytics/videos" query={query} />
      </div>
    </Card>
  );
}

type VideosProps = { from: string; videos: readonly WatchedVideo[] };

/** The same for the whole service, whose videos come with its other figures. */
export const TopVideoTable = (props: VideosProps) => (
  <Card title={text.value.views.topVideos}>
    <Videos {...props} />
  </Card>
);

function Videos({ from, videos }: VideosProps) {
  const { views: messages, usage } = text.value;
  if (videos.length === 0) {
    return (
      <EmptyState title={messages.topVideosEmpty}>
        <p>{messages.topVideosEmptyHint}</p>
      </EmptyState>
    );
  }
  return (
    <>
      <p class="hint">{messages.topVideosHint(formatDate(from))}</p>
      <TableBox label={usage.tableOf(messages.topVideos)}>
        <thead>
          <tr>
            <th scope="col">{messages.video}</th>
            {[messages.views, messages.watched, messages.delivered].map((title) => (
              <th key={title} scope="col" class="numeric">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {videos.map(({ ulid, name, views, watched_seconds, delivered_bytes }) => (
            <tr key={ulid}>
              <th scope="row">
                {name === null ? <em>{messages.deletedVideo(ulid)}</em> : <a href={`/videos/${ulid}`}>{name}</a>}
              </th>
              <td class="numeric">{formatNumber(views)}</td>
              <td class="numeric">{formatWatchTime(watched_seconds)}</td>
              <td class="numeric">{formatBytes(delivered_bytes)}</td>
            </tr>
          ))}
        </tbody>
      </TableBox>
    </>
  );
}

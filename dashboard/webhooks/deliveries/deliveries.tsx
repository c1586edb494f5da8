import { useEffect, useState } from 'preact/hooks';
import { eventTypes } from '../../../client/event-types.ts';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { announce } from '../../components/announcer.tsx';
import { ApiCall } from '../../components/api-call.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SelectField } from '../../components/field.tsx';
import { Loading } from '../../components/loading.tsx';
import { text } from '../../messages/messages.ts';
import {
  cursorsOf,
  type DeliveryFilters,
  type DeliveryPage,
  deliveriesOf,
  deliveryQuery,
  deliveryStatuses,
  isFiltered,
  noFilters,
  pollSecondsOf,
  testEvent,
} from './delivery-query.ts';
import { DeliveryRow } from './delivery-row.tsx';
import { ResendFailed } from './resend-failed.tsx';

type DeliveriesProps = {
  /** its ULID */
  webhook: string;
  /** Changes when deliveries were added elsewhere. */
  version: number;
};

/** What was sent to a webhook. */
export function Deliveries({ webhook, version }: DeliveriesProps) {
  const messages = text.value.webhooks.deliveries;
  const [filters, setFilters] = useState(noFilters);
  const [isResending, setIsResending] = useState(false);
  const [resendCount, setResendCount] = useState(0);
  const onResent = (): void => setResendCount((count) => count + 1);
  return (
    <Card
      title={messages.title}
      actions={<Button onClick={() => setIsResending(true)}>{messages.resendFailed}</Button>}
    >
      <p class="hint">{messages.hint}</p>
      <FilterBar filters={filters} onFilters={setFilters} />
      {/* Other filters are another list. */}
      <DeliveryList
        key={JSON.stringify(filters)}
        {...{ webhook, filters, onResent }}
        version={version + resendCount}
        onClearFilters={() => setFilters(noFilters)}
      />
      <ApiCall
        method="GET"
        path="/api/webhooks/{ulid}/deliveries"
        params={{ ulid: webhook }}
        query={deliveryQuery(filters, undefined)}
      />
      {isResending && <ResendFailed webhook={webhook} onResent={onResent} onClose={() => setIsResending(false)} />}
    </Card>
  );
}

type FilterBarProps = { filters: DeliveryFilters; onFilters(filters: DeliveryFilters): void };

function FilterBar({ filters, onFilters }: FilterBarProps) {
  const { common, webhooks } = text.value;
  const messages = webhooks.deliveries;
  const anything = { value: '', label: common.all };
  return (
    <search class="delivery-filters">
      <SelectField
        label={common.status}
        value={filters.status}
        onValue={(status) => onFilters({ ...filters, status })}
        options={[anything, ...deliveryStatuses.map((value) => ({ value, label: messages.states[value] }))]}
      />
      <SelectField
        label={messages.event}
        value={filters.event}
        onValue={(event) => onFilters({ ...filters, event })}
        options={[anything, ...[testEvent, ...eventTypes].map((value) => ({ value, label: value }))]}
      />
    </search>
  );
}

type DeliveryListProps = DeliveriesProps & { filters: DeliveryFilters; onResent(): void; onClearFilters(): void };

function DeliveryList({ webhook, filters, version, onResent, onClearFilters }: DeliveryListProps) {
  const messages = text.value.webhooks.deliveries;
  const [amount, setAmount] = useState(1);
  const [pages, setPages] = useState<readonly DeliveryPage[]>([]);
  const shown = pages.slice(0, amount);
  const deliveries = deliveriesOf(shown);
  const last = shown[amount - 1];
  const hasMore = last !== undefined && last.next !== null;
  const showMore = (): void => setAmount(amount + 1);

  // A page of a filtered list may have no matches although there are more.
  useEffect(() => {
    if (hasMore && last.deliveries.length === 0) showMore();
  }, [last]);
  useEffect(() => {
    if (last !== undefined) announce(messages.shown(deliveries.length));
  }, [last === undefined, amount]);

  const isEmpty = deliveries.length === 0 && last !== undefined && !hasMore;
  return (
    <>
      {pages.length === 0 && <Loading />}
      {cursorsOf(pages, amount).map((cursor, index) => (
        <DeliveryLoader
          key={index}
          {...{ webhook, filters, cursor, version }}
          onLoaded={(page) => setPages((pages) => Object.assign([...pages], { [index]: page }))}
        />
      ))}
      {deliveries.length > 0 && (
        <ul class="delivery-list">
          {deliveries.map((delivery) => (
            <DeliveryRow key={delivery.ulid} {...{ webhook, delivery, onResent }} />
          ))}
        </ul>
      )}
      {isEmpty && <NoDeliveries isFiltered={isFiltered(filters)} onClearFilters={onClearFilters} />}
      {hasMore && <Button onClick={showMore}>{text.value.common.more}</Button>}
    </>
  );
}

type NoDeliveriesProps = { isFiltered: boolean; onClearFilters(): void };

function NoDeliveries({ isFiltered, onClearFilters }: NoDeliveriesProps) {
  const messages = text.value.webhooks.deliveries;
  return isFiltered ? (
    <EmptyState title={messages.noMatches}>
      <p>{messages.noMatchesHint}</p>
      <Button onClick={onClearFilters}>{messages.clearFilters}</Button>
    </EmptyState>
  ) : (
    <EmptyState title={messages.empty}>
      <p>{messages.emptyHint}</p>
    </EmptyState>
  );
}

type DeliveryLoaderProps = {
  webhook: string;
  filters: DeliveryFilters;
  cursor: string | undefined;
  /** Changes when deliveries were added or sent again. */
  version: number;
  onLoaded(page: DeliveryPage): void;
};

/** Loads a page of the list and keeps it up to date. It shows only why that failed. */
function DeliveryLoader({ webhook, filters, cursor, version, onLoaded }: DeliveryLoaderProps) {
  const params = { path: { ulid: webhook }, query: deliveryQuery(filters, cursor) };
  const { data, error, reload } = useResource(
    (signal) => api.GET('/api/webhooks/{ulid}/deliveries', { params, signal }),
    { key: JSON.stringify(params), pollSeconds: ({ data }) => pollSecondsOf(data, cursor === undefined) },
  );
  useEffect(() => {
    if (data !== undefined) reload();
  }, [version]);
  useEffect(() => {
    if (data !== undefined) onLoaded({ deliveries: data.data, next: data.meta.next_cursor });
  }, [data]);
  return <ErrorNotice error={error} onRetry={reload} />;
}

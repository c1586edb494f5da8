import { useEffect } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { type DeliveryFilters, type DeliveryPart, deliveryQuery, pollSecondsOf } from './delivery-query.ts';

type DeliveryLoaderProps = {
  webhook: string;
  filters: DeliveryFilters;
  cursor: string | undefined;
  /** Changes when deliveries were added or sent again. */
  version: number;
  onLoaded(part: DeliveryPart): void;
};

/** Loads a part of the list and keeps it up to date. It shows only why that failed. */
export function DeliveryLoader({ webhook, filters, cursor, version, onLoaded }: DeliveryLoaderProps) {
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

import '../../storages/storages.css';
import { useState } from 'preact/hooks';
import { shareOfDelivery } from '../../../client/progress.ts';
import { api } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { useStorages } from '../../api/use-storages.ts';
import { announce } from '../../components/announcer.tsx';
import { ApiCall } from '../../components/api-call.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FailureReason } from '../../components/failure-reason.tsx';
import { Loading } from '../../components/loading.tsx';
import { TableBox } from '../../components/table-box.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatBytes, formatNumber } from '../../messages/format.ts';
import { text } from '../../messages/messages.ts';
import type { Storage } from '../../storages/storage-form.ts';
import type { Video } from '../video-properties.ts';
import { DeliverDialog } from './deliver-dialog.tsx';
import { isOpen, pollSecondsOf, repetitionOf, type StorageDelivery } from './delivery-properties.ts';

const shownAtFirst = 5;

/** The copies of a video in storages. Without a copy and a storage, nothing. */
export function StorageDeliveries({ video }: { video: Video }) {
  const { common, storageDeliveries } = text.value;
  const messages = storageDeliveries.video;
  const [isChoosing, setIsChoosing] = useState(false);
  const [showsAll, setShowsAll] = useState(false);
  const { ulid, status } = video;
  const { data, error, reload } = useResource(
    (signal) => api.GET('/api/videos/{ulid}/deliveries', { params: { path: { ulid } }, signal }),
    // The template of a video delivers it when it is completed.
    { key: `${ulid} ${status}`, pollSeconds: ({ data }) => pollSecondsOf(data) },
  );
  const storages = useStorages();
  const deliveries = data?.data ?? [];
  const own = storages.data?.data ?? [];
  if (deliveries.length === 0 && (own.length === 0 || status !== 'completed')) return null;
  const nameOf = (ulid: string): string => own.find((storage) => storage.ulid === ulid)?.name ?? ulid;
  const onStarted = (storage: string): void => {
    announce(messages.started(nameOf(storage)));
    setIsChoosing(false);
    reload();
  };
  return (
    <Card
      title={messages.title}
      actions={
        status === 'completed' &&
        own.length > 0 && <Button onClick={() => setIsChoosing(true)}>{messages.deliver}</Button>
      }
    >
      <ErrorNotice error={error ?? storages.error} onRetry={error === undefined ? storages.reload : reload} />
      {data === undefined && error === undefined && <Loading />}
      {data !== undefined && deliveries.length === 0 && <p class="hint">{messages.none}</p>}
      {deliveries.length > 0 && (
        <TableBox label={messages.table}>
          <thead>
            <tr>
              <th scope="col">{storageDeliveries.storage}</th>
              <th scope="col">{common.status}</th>
              <th scope="col" class="numeric">
                {messages.files}
              </th>
              <th scope="col" class="numeric">
                {messages.size}
              </th>
              <th scope="col">
                <span class="visually-hidden">{common.actions}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {deliveries.slice(0, showsAll ? undefined : shownAtFirst).map((delivery) => (
              <DeliveryRow
                key={delivery.ulid}
                delivery={delivery}
                storage={own.find(({ ulid }) => ulid === delivery.storage)}
                isLoaded={storages.data !== undefined}
                canRepeat={status === 'completed' && !isOpen(delivery)}
                onRepeated={() => onStarted(delivery.storage)}
              />
            ))}
          </tbody>
        </TableBox>
      )}
      {!showsAll && deliveries.length > shownAtFirst && (
        <div>
          <Button onClick={() => setShowsAll(true)}>{common.more}</Button>
        </div>
      )}
      <ApiCall method="GET" path="/api/videos/{ulid}/deliveries" params={{ ulid }} />
      {isChoosing && (
        <DeliverDialog video={video} storages={own} onStarted={onStarted} onClose={() => setIsChoosing(false)} />
      )}
    </Card>
  );
}

type DeliveryRowProps = {
  delivery: StorageDelivery;
  /** undefined when it is deleted, or of another user whose video an administrator sees */
  storage: Storage | undefined;
  /** whether the storages are */
  isLoaded: boolean;
  canRepeat: boolean;
  onRepeated(): void;
};

function DeliveryRow({ delivery, storage, isLoaded, canRepeat, onRepeated }: DeliveryRowProps) {
  const { storageDeliveries } = text.value;
  const messages = storageDeliveries.video;
  const { status, path, files, files_copied, bytes, bytes_copied, error, created_at } = delivery;
  const repeat = useAction(async () => {
    await api.POST('/api/videos/{ulid}/deliveries', {
      params: { path: { ulid: delivery.video_ulid } },
      body: repetitionOf(delivery),
    });
    onRepeated();
  });
  const name = storage?.name ?? (isLoaded ? storageDeliveries.unknownStorage : delivery.storage);
  const share = shareOfDelivery(delivery);
  const copiedOf = (copied: number, total: number | null, format: (value: number) => string): string =>
    total === null ? '' : copied === total ? format(total) : messages.copiedOf(format(copied), format(total));
  return (
    <tr>
      <th scope="row">
        {name}
        <div class="hint">
          <code>{isLoaded && !storage ? delivery.storage : path}</code>
        </div>
      </th>
      <td>
        <span class="badge" data-status={status}>
          {messages.states[status]}
        </span>{' '}
        <TimeAgo class="hint" time={created_at} />
        {status === 'running' && share !== undefined && (
          <progress class="progress" max={1} value={share} aria-label={messages.progressOf(name)} />
        )}
        {error !== null && (
          <div class="field-errors">
            <FailureReason reason={error} />
          </div>
        )}
        <ErrorNotice error={repeat.error} />
      </td>
      <td class="numeric delivery-count">{copiedOf(files_copied, files, formatNumber)}</td>
      <td class="numeric delivery-count">{copiedOf(bytes_copied, bytes, formatBytes)}</td>
      <td>
        {canRepeat && (
          <Button
            isBusy={repeat.isRunning}
            onClick={() => repeat.run()}
            aria-label={`${messages.again}: ${name}, ${path}`}
          >
            {messages.again}
          </Button>
        )}
      </td>
    </tr>
  );
}

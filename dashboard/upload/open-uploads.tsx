import type { components } from '../../client/api-types.ts';
import { api } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { useResource } from '../api/use-resource.ts';
import { announce } from '../components/announcer.tsx';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { TableBox } from '../components/table-box.tsx';
import { formatAgo, formatBytes, formatDateTime } from '../messages/format.ts';
import { text } from '../messages/messages.ts';

type OpenUpload = components['schemas']['Upload'];

type OpenUploadsProps = {
  /** Uploads that this page sends itself, by their ULIDs. */
  own: ReadonlySet<string>;
};

const pollSeconds = 10;

/** Uploads that were started but not finished, on any device. Nothing when there are none. */
export function OpenUploads({ own }: OpenUploadsProps) {
  const { data, error, reload } = useResource(
    (signal) => api.GET('/api/uploads', { params: { query: { per_page: 100 } }, signal }),
    {
      key: 'open uploads',
      pollSeconds: () => pollSeconds,
    },
  );
  const { common, upload: messages } = text.value;
  const others = data?.data.filter(({ ulid }) => !own.has(ulid)) ?? [];
  if (error !== undefined) return <ErrorNotice error={error} onRetry={reload} />;
  if (others.length === 0) return null;
  return (
    <div class="stack">
      <h2>{messages.unfinished}</h2>
      <p class="hint">{messages.unfinishedHint}</p>
      <TableBox label={messages.unfinished}>
        <thead>
          <tr>
            <th scope="col">{common.name}</th>
            <th scope="col" class="numeric">
              {messages.received}
            </th>
            <th scope="col">{common.created}</th>
            <th scope="col">{messages.expires}</th>
            <th scope="col">
              <span class="visually-hidden">{common.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {others.map((upload) => (
            <OpenUploadRow key={upload.ulid} upload={upload} onAborted={reload} />
          ))}
        </tbody>
      </TableBox>
      <ApiCall method="DELETE" path="/api/uploads/{ulid}" params={{ ulid: others[0]!.ulid }} />
    </div>
  );
}

function OpenUploadRow({ upload, onAborted }: { upload: OpenUpload; onAborted(): void }) {
  const { ulid, filename, size, bytes_received, created_at, expires_at } = upload;
  const messages = text.value.upload;
  const abort = useAction(async () => {
    await api.DELETE('/api/uploads/{ulid}', { params: { path: { ulid } } });
    announce(messages.aborted(filename));
    onAborted();
  });
  return (
    <tr>
      <th scope="row">{filename}</th>
      <td class="numeric">
        {size === null ? formatBytes(bytes_received) : messages.sentOf(formatBytes(bytes_received), formatBytes(size))}
      </td>
      <td>{formatAgo(created_at)}</td>
      <td>{formatDateTime(expires_at)}</td>
      <td>
        <ErrorNotice error={abort.error} />
        <Button isBusy={abort.isRunning} onClick={() => abort.run()} aria-label={`${messages.abort}: ${filename}`}>
          {messages.abort}
        </Button>
      </td>
    </tr>
  );
}

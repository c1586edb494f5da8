import { api } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { announce } from '../components/announcer.tsx';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { FailureReason } from '../components/failure-reason.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { TableBox } from '../components/table-box.tsx';
import { formatBytes, formatPercent } from '../messages/format.ts';
import { text } from '../messages/messages.ts';
import type { Output, Video } from './video-properties.ts';

type OutputsProps = { video: Video; reload(): void };

export function Outputs({ video, reload }: OutputsProps) {
  const { common, video: messages } = text.value;
  if (video.outputs.length === 0) return null;
  return (
    <Card title={messages.outputs}>
      <TableBox label={messages.outputsTable}>
        <thead>
          <tr>
            <th scope="col">{common.name}</th>
            <th scope="col">{messages.format}</th>
            <th scope="col">{common.status}</th>
            <th scope="col">{messages.renditions}</th>
            <th scope="col" class="numeric">
              {messages.fileSize}
            </th>
            <th scope="col">
              <span class="visually-hidden">{common.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {video.outputs.map((output) => (
            <OutputRow key={output.ulid} output={output} reload={reload} />
          ))}
        </tbody>
      </TableBox>
    </Card>
  );
}

function OutputRow({ output, reload }: { output: Output; reload(): void }) {
  const { name, format, status, progress, size, streams, error_log, ulid } = output;
  const { common, video: messages } = text.value;
  const remove = useAction(async () => {
    await api.DELETE('/api/outputs/{ulid}', { params: { path: { ulid } } });
    announce(messages.outputRemoved);
    reload();
  });
  const shownName = name ?? format;
  return (
    <tr>
      <th scope="row">{shownName}</th>
      <td>{format.toUpperCase()}</td>
      <td>
        <StatusBadge status={status} /> {status === 'running' && formatPercent(progress / 100)}
        {error_log !== null && (
          <div class="field-errors">
            <FailureReason reason={error_log} />
          </div>
        )}
        <ErrorNotice error={remove.error} />
      </td>
      <td>{streams.map((stream) => stream.name).join(', ')}</td>
      <td class="numeric">{size === null ? '' : formatBytes(size)}</td>
      <td>
        {status === 'failed' && (
          <Button isBusy={remove.isRunning} onClick={() => remove.run()} aria-label={`${common.delete}: ${shownName}`}>
            {common.delete}
          </Button>
        )}
      </td>
    </tr>
  );
}

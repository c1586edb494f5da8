import type { components } from '../../../client/api-types.ts';
import { TableBox } from '../../components/table-box.tsx';
import { formatAgo, formatPercent } from '../../messages/format.ts';
import { text } from '../../messages/messages.ts';

type Worker = components['schemas']['Worker'];

type WorkerTableProps = {
  workers: readonly Worker[];
  /** The node is known. */
  isOfOneNode?: boolean;
};

export function WorkerTable({ workers, isOfOneNode = false }: WorkerTableProps) {
  const messages = text.value.administration.queue;
  return (
    <TableBox label={messages.workerJobs}>
      <thead>
        <tr>
          <th scope="col">{messages.worker}</th>
          {!isOfOneNode && <th scope="col">{messages.node}</th>}
          <th scope="col">{messages.job}</th>
          <th scope="col">{messages.lastCall}</th>
        </tr>
      </thead>
      <tbody>
        {workers.map((worker) => (
          <tr key={`${worker.node?.ulid} ${worker.worker}`}>
            <th scope="row">{worker.worker}</th>
            {!isOfOneNode && (
              <td>
                {worker.node === null ? (
                  messages.pool
                ) : (
                  <a href={`/administration/nodes/${worker.node.id}`}>{worker.node.name}</a>
                )}
              </td>
            )}
            <td>
              <CurrentJob job={worker.job} />
            </td>
            <td>{formatAgo(worker.last_call_at)}</td>
          </tr>
        ))}
      </tbody>
    </TableBox>
  );
}

function CurrentJob({ job }: Pick<Worker, 'job'>) {
  const messages = text.value.administration.queue;
  if (job === null) return <span class="hint">{messages.idle}</span>;
  return (
    <>
      {messages.kinds[job.kind]} {job.kind === 'encode-video' || job.kind === 'encode-audio' ? job.index + 1 : ''} ·{' '}
      {formatPercent(job.progress / 100)}
      {job.attempt > 1 && ` · ${messages.attempt(job.attempt)}`}
      <br />
      <a href={`/videos/${job.video}`}>{job.video}</a>
    </>
  );
}

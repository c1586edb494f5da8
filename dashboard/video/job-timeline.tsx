import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { useResource } from '../api/use-resource.ts';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { TableBox } from '../components/table-box.tsx';
import { formatDateTime, formatPercent, formatSpan } from '../messages/format.ts';
import { text } from '../messages/messages.ts';
import {
  attemptSeconds,
  type Job,
  type JobAttempt,
  type JobSummary,
  jobKey,
  retriesOf,
  shareDone,
  streamNames,
  workerOf,
} from './job-properties.ts';
import { isWorking, type Video } from './video-properties.ts';

type JobTimelineProps = { video: Video };

const pollSeconds = 2;

/** The jobs of a video with their workers and attempts. They are loaded when the user opens the section. */
export function JobTimeline({ video }: JobTimelineProps) {
  const [isOpen, setIsOpen] = useState(isWorking(video));
  return (
    <details class="card jobs" open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <h2>{text.value.video.jobs}</h2>
      </summary>
      {isOpen && <Jobs video={video} />}
    </details>
  );
}

function Jobs({ video }: JobTimelineProps) {
  const [cursors, setCursors] = useState<readonly (string | undefined)[]>([undefined]);
  const [next, setNext] = useState<string | null>(null);
  const { video: messages, common } = text.value;
  return (
    <div class="stack">
      <TableBox label={messages.jobs}>
        <thead>
          <tr>
            <th scope="col">{messages.job}</th>
            <th scope="col">{common.status}</th>
            <th scope="col">{messages.worker}</th>
            <th scope="col">{messages.attempts}</th>
          </tr>
        </thead>
        {cursors.map((cursor, index) => (
          <JobPage
            key={cursor ?? ''}
            video={video}
            cursor={cursor}
            onNext={(following) => index === cursors.length - 1 && setNext(following)}
          />
        ))}
      </TableBox>
      {next !== null && (
        <Button
          onClick={() => {
            setCursors([...cursors, next]);
            setNext(null);
          }}
        >
          {common.more}
        </Button>
      )}
      <ApiCall method="GET" path="/api/videos/{ulid}/jobs" params={{ ulid: video.ulid }} />
    </div>
  );
}

type JobPageProps = { video: Video; cursor: string | undefined; onNext(cursor: string | null): void };

function JobPage({ video, cursor, onNext }: JobPageProps) {
  const { ulid } = video;
  const { data, error, reload } = useResource(
    async (signal) => {
      const query = cursor === undefined ? {} : { cursor };
      const result = await api.GET('/api/videos/{ulid}/jobs', { params: { path: { ulid }, query }, signal });
      if (result.data) onNext(result.data.meta.next_cursor);
      return result;
    },
    { key: `${ulid} ${cursor} ${isWorking(video)}`, pollSeconds: () => (isWorking(video) ? pollSeconds : undefined) },
  );
  return (
    <tbody>
      {error !== undefined && (
        <tr>
          <td colSpan={4}>
            <ErrorNotice error={error} onRetry={reload} />
          </td>
        </tr>
      )}
      {cursor === undefined && data?.summary.map((summary) => <SummaryRow key={summary.kind} summary={summary} />)}
      {data?.data.map((job) => (
        <JobRow key={jobKey(job)} job={job} streams={video.streams} />
      ))}
    </tbody>
  );
}

function SummaryRow({ summary }: { summary: JobSummary }) {
  const messages = text.value.video;
  const { kind, completed, total, running, failed } = summary;
  return (
    <tr class="job-summary">
      <th scope="row">{messages.jobKinds[kind]}</th>
      <td colSpan={3}>
        <progress class="progress" value={shareDone(summary)} max={1} aria-label={messages.jobKinds[kind]} />
        <span class="hint">{messages.jobCounts({ completed, total, running, failed })}</span>
      </td>
    </tr>
  );
}

function JobRow({ job, streams }: { job: Job; streams: Video['streams'] }) {
  const { kind, index, status, progress, error_code } = job;
  const messages = text.value.video;
  const retries = retriesOf(job);
  return (
    <tr>
      <th scope="row">
        {messages.jobName(messages.jobKinds[kind], index + 1)}
        {/* Two groups of streams may each have a first chunk. */}
        {kind === 'encode-video' && <p class="hint">{streamNames(job, streams)}</p>}
      </th>
      <td>
        <StatusBadge status={status} /> {status === 'running' && formatPercent(progress / 100)}
        {error_code !== null && <p class="field-errors">{messages.jobErrors[error_code]}</p>}
      </td>
      <td>{workerText(job)}</td>
      <td>
        {retries > 0 ? (
          <details>
            <summary>{messages.retries(retries)}</summary>
            <ol class="attempts">
              {job.attempts.map((attempt) => (
                <li key={attempt.number}>{attemptText(attempt)}</li>
              ))}
            </ol>
          </details>
        ) : (
          job.attempts.map((attempt) => <span key={attempt.number}>{attemptText(attempt)}</span>)
        )}
      </td>
    </tr>
  );
}

function workerText(job: Job): string {
  const found = workerOf(job);
  if (found === undefined) return '';
  return 'worker' in found ? found.worker : text.value.video.nodeTypes[found.nodeType];
}

function attemptText(attempt: JobAttempt): string {
  const messages = text.value.video;
  return [
    formatDateTime(attempt.started_at),
    formatSpan(attemptSeconds(attempt, Date.now())),
    messages.attemptStates[attempt.status],
    attempt.error_code !== null && messages.jobErrors[attempt.error_code],
  ]
    .filter(Boolean)
    .join(' · ');
}

import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { errorText } from '../api/error-text.ts';
import { forEachAtMost } from '../api/for-each-at-most.ts';
import { announce } from '../components/announcer.tsx';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { ConfirmDialog } from '../components/dialogs/dialog.tsx';
import { text } from '../messages/messages.ts';
import type { VideoListItem } from './video-row.tsx';

type BulkActionsProps = {
  selected: ReadonlyMap<string, VideoListItem>;
  /** Called with the videos that failed; they stay selected. */
  onDone(failed: ReadonlyMap<string, VideoListItem>): void;
  onClear(): void;
};

type BulkAction = 'delete' | 'reprocess';
type Failure = { video: VideoListItem; reason: string };

const maxConcurrent = 4;
const maxNames = 5;

const act: Record<BulkAction, (ulid: string) => Promise<unknown>> = {
  delete: (ulid) => api.DELETE('/api/videos/{ulid}', { params: { path: { ulid } } }),
  reprocess: (ulid) => api.POST('/api/videos/{ulid}/reprocess', { params: { path: { ulid } } }),
};

/** What can be done with the selected videos. */
export function BulkActions({ selected, onDone, onClear }: BulkActionsProps) {
  const [action, setAction] = useState<BulkAction>();
  const [failures, setFailures] = useState<readonly Failure[]>([]);
  const messages = text.value.videos;

  const runAll = async (action: BulkAction): Promise<void> => {
    const failed: Failure[] = [];
    await forEachAtMost(maxConcurrent, [...selected.values()], async (video) => {
      try {
        await act[action](video.ulid);
      } catch (error) {
        failed.push({ video, reason: errorText(error) });
      }
    });
    announce(messages.bulkDone[action](selected.size - failed.length));
    setFailures(failed);
    onDone(new Map(failed.map(({ video }) => [video.ulid, video])));
  };

  return (
    <>
      {failures.length > 0 && <Failures failures={failures} onClose={() => setFailures([])} />}
      {selected.size > 0 && (
        <section class="bulk" aria-label={messages.selected(selected.size)}>
          <strong>{messages.selected(selected.size)}</strong>
          <Button onClick={() => setAction('reprocess')}>{messages.reprocess}</Button>
          <Button onClick={() => setAction('delete')}>{text.value.common.delete}</Button>
          <Button variant="quiet" onClick={onClear}>
            {messages.clearSelection}
          </Button>
        </section>
      )}
      {action && (
        <ConfirmDialog
          title={messages.bulkTitle[action](selected.size)}
          confirmLabel={action === 'delete' ? text.value.common.delete : messages.reprocess}
          isDangerous={action === 'delete'}
          apiCall={
            <ApiCall
              method={action === 'delete' ? 'DELETE' : 'POST'}
              path={action === 'delete' ? '/api/videos/{ulid}' : '/api/videos/{ulid}/reprocess'}
              params={{ ulid: selected.keys().next().value ?? '' }}
            />
          }
          onConfirm={() => runAll(action)}
          onClose={() => setAction(undefined)}
        >
          <p>{messages.bulkEffect[action]}</p>
          <ul>
            {[...selected.values()].slice(0, maxNames).map(({ ulid, name }) => (
              <li key={ulid}>{name}</li>
            ))}
            {selected.size > maxNames && <li>{messages.andMore(selected.size - maxNames)}</li>}
          </ul>
        </ConfirmDialog>
      )}
    </>
  );
}

function Failures({ failures, onClose }: { failures: readonly Failure[]; onClose(): void }) {
  const messages = text.value.videos;
  return (
    <div class="notice notice-error" role="alert">
      <div>
        <p>{messages.bulkFailed(failures.length)}</p>
        <ul>
          {failures.map(({ video, reason }) => (
            <li key={video.ulid}>
              {video.name}: {reason}
            </li>
          ))}
        </ul>
      </div>
      <Button onClick={onClose}>{text.value.common.close}</Button>
    </div>
  );
}

import { api } from '../api/client.ts';
import { announce } from '../components/announcer.tsx';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { ConfirmDialog } from '../components/dialogs/dialog.tsx';
import { text } from '../messages/messages.ts';
import type { Video } from './video-properties.ts';

type VisibilityBadgeProps = { playback: Video['playback'] };

/** Whether everyone can play a video, or only who has a link that is still valid. */
export const VisibilityBadge = ({ playback }: VisibilityBadgeProps) => (
  <span class="badge" data-visibility={playback}>
    {text.value.video.visibilities[playback]}
  </span>
);

type VisibilityButtonProps = { playback: Video['playback']; onClick(): void };

export const VisibilityButton = ({ playback, onClick }: VisibilityButtonProps) => (
  <Button onClick={onClick}>{text.value.video.changeVisibility[playback]}</Button>
);

type VisibilityDialogProps = { video: Video; onClose(): void };

/** Makes a private video public, or a public one private. */
export function VisibilityDialog({ video: { ulid, name, playback }, onClose }: VisibilityDialogProps) {
  const messages = text.value.video;
  const params = { path: { ulid } };
  const body = { playback: playback === 'public' ? 'signed' : 'public' } as const;
  const change = async (): Promise<void> => {
    await api.PUT('/api/videos/{ulid}', { params, body });
    announce(messages.visibilityChanged[body.playback]);
  };
  return (
    <ConfirmDialog
      title={messages.visibilityTitle[body.playback](name)}
      confirmLabel={messages.changeVisibility[playback]}
      apiCall={<ApiCall method="PUT" path="/api/videos/{ulid}" params={params.path} body={body} />}
      onConfirm={change}
      onClose={onClose}
    >
      <p>{messages.visibilityEffect[body.playback]}</p>
    </ConfirmDialog>
  );
}

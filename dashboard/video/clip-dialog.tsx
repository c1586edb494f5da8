import { useState } from 'preact/hooks';
import { bodyOf } from '../../client/api.ts';
import { api } from '../api/client.ts';
import { fieldErrors } from '../api/error-text.ts';
import { useAction } from '../api/use-action.ts';
import { announce } from '../components/announcer.tsx';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { TextField } from '../components/field.tsx';
import { onSubmit } from '../components/submit.ts';
import { clipOf, type Part, TrimBar } from '../components/trim-bar.tsx';
import { text } from '../messages/messages.ts';
import { useFrames } from './storyboard-frames.ts';
import type { Video } from './video-properties.ts';

type ClipDialogProps = { video: Video; onClose(): void; onMade(ulid: string): void };

const shownFrames = 8;

/** Makes another video of a part of a video. */
export function ClipDialog({ video: { ulid, name, duration }, onClose, onMade }: ClipDialogProps) {
  const { common, video: messages } = text.value;
  const [part, setPart] = useState<Part>({ start: '', end: '' });
  const [clipName, setClipName] = useState(() => messages.clipName(name));
  const frames = useFrames(ulid, shownFrames);
  const params = { path: { ulid } };
  const body = { ...clipOf(part), name: clipName };
  const make = useAction(async () => {
    const { data } = await bodyOf(api.POST('/api/videos/{ulid}/clips', { params, body }));
    announce(messages.clipStarted(data.name));
    onMade(data.ulid);
  });
  const errors = fieldErrors(make.error);
  return (
    <Dialog title={messages.clipTitle} onClose={onClose}>
      <form class="form" onSubmit={onSubmit(() => make.run())} noValidate>
        <p class="hint">{messages.clipHint}</p>
        <TrimBar durationSeconds={duration ?? undefined} part={part} onPart={setPart} errors={errors}>
          {frames.map(({ atSeconds, imageUrl, x, y, width, height }) => (
            <span key={atSeconds}>
              <span
                style={{
                  width: `${width}px`,
                  height: `${height}px`,
                  backgroundImage: `url("${imageUrl}")`,
                  backgroundPosition: `-${x}px -${y}px`,
                }}
              />
            </span>
          ))}
        </TrimBar>
        <TextField label={common.name} value={clipName} onValue={setClipName} errors={errors.name} />
        <ErrorNotice error={Object.keys(errors).length > 0 ? undefined : make.error} />
        <ApiCall method="POST" path="/api/videos/{ulid}/clips" params={params.path} body={body} />
        <div class="dialog-actions">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button
            type="submit"
            variant="primary"
            isBusy={make.isRunning}
            disabled={part.start.trim() === '' && part.end.trim() === ''}
          >
            {messages.makeClip}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

import { useState } from 'preact/hooks';
import { api, client } from '../api/client.ts';
import { fieldErrors } from '../api/error-text.ts';
import { useAction } from '../api/use-action.ts';
import { announce } from '../components/announcer.tsx';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { FileField, TextField } from '../components/field.tsx';
import { onSubmit } from '../components/submit.ts';
import { formatDuration } from '../messages/format.ts';
import { text } from '../messages/messages.ts';
import { useFrames } from './storyboard-frames.ts';
import type { Video } from './video-properties.ts';

type PosterDialogProps = { video: Video; onClose(): void };

/** The position of the player of the page, rounded to a tenth of a second. */
const playerSeconds = (): string =>
  (document.querySelector<HTMLMediaElement>('.player [slot="media"]')?.currentTime ?? 0).toFixed(1);

/** Makes the poster from a frame, one of the storyboard or that of any time, or from an image. */
export function PosterDialog({ video: { ulid, duration }, onClose }: PosterDialogProps) {
  const [seconds, setSeconds] = useState(playerSeconds);
  const [image, setImage] = useState<File>();
  const { common, video: messages } = text.value;
  const params = { path: { ulid } };
  const body = { at_seconds: Number(seconds) };
  const save = useAction(async () => {
    if (image) await client.setPosterImage(ulid, image);
    else await api.PUT('/api/videos/{ulid}/poster', { params, body });
    announce(messages.posterStarted);
    onClose();
  });
  const errors = fieldErrors(save.error);
  return (
    <Dialog title={messages.poster} onClose={onClose}>
      <form class="form" onSubmit={onSubmit(() => save.run())} noValidate>
        {image === undefined && (
          <>
            <Frames ulid={ulid} seconds={seconds} onSeconds={setSeconds} />
            <TextField
              label={messages.posterSeconds}
              hint={messages.posterHint}
              type="number"
              min={0}
              max={duration ?? undefined}
              step="0.1"
              value={seconds}
              onValue={setSeconds}
              errors={errors.at_seconds}
            />
          </>
        )}
        <FileField
          label={messages.posterImage}
          hint={messages.posterImageHint}
          isOptional
          accept="image/jpeg,image/png,image/webp"
          onFile={setImage}
          errors={errors.image ?? errors.upload ?? errors.size}
        />
        <ErrorNotice error={Object.keys(errors).length > 0 ? undefined : save.error} />
        {image === undefined && (
          <ApiCall method="PUT" path="/api/videos/{ulid}/poster" params={params.path} body={body} />
        )}
        <div class="dialog-actions">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" isBusy={save.isRunning}>
            {messages.makePoster}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

const maxFrames = 24;

type FramesProps = { ulid: string; seconds: string; onSeconds(seconds: string): void };

/** Nothing while there are none: the time can still be entered. */
function Frames({ ulid, seconds, onSeconds }: FramesProps) {
  const messages = text.value.video;
  const frames = useFrames(ulid, maxFrames);
  if (frames.length === 0) return null;
  return (
    <fieldset class="frames">
      <legend>{messages.posterFrames}</legend>
      {frames.map(({ atSeconds, imageUrl, x, y, width, height }) => (
        <button
          key={atSeconds}
          type="button"
          aria-pressed={atSeconds.toFixed(1) === seconds}
          aria-label={messages.frameAt(formatDuration(atSeconds))}
          onClick={() => onSeconds(atSeconds.toFixed(1))}
          style={{
            width: `${width}px`,
            height: `${height}px`,
            backgroundImage: `url("${imageUrl}")`,
            backgroundPosition: `-${x}px -${y}px`,
          }}
        />
      ))}
    </fieldset>
  );
}

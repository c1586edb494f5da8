import { useEffect, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { clipOf, type Part, TrimBar } from '../components/trim-bar.tsx';
import { text } from '../messages/messages.ts';
import type { Clip } from './upload-item.ts';

type TrimFileProps = { file: File; onUpload(clip: Clip | undefined): void; onCancel(): void };

/** Chooses a part of a file before it is uploaded. The browser plays it, if it can. */
export function TrimFile({ file, onUpload, onCancel }: TrimFileProps) {
  const { common, upload: messages } = text.value;
  const [part, setPart] = useState<Part>({ start: '', end: '' });
  const [url, setUrl] = useState<string>();
  const [durationSeconds, setDurationSeconds] = useState<number>();
  const [isUnplayable, setIsUnplayable] = useState(false);
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  const clip = clipOf(part);
  return (
    <Card title={messages.trimTitle(file.name)}>
      {url !== undefined && !isUnplayable && (
        // biome-ignore lint/a11y/useMediaCaption: the file of the user has no captions yet
        <video
          class="trim-video"
          src={url}
          controls
          preload="metadata"
          onLoadedMetadata={({ currentTarget: { duration } }) =>
            Number.isFinite(duration) && setDurationSeconds(duration)
          }
          onError={() => setIsUnplayable(true)}
        />
      )}
      {isUnplayable && <p class="notice">{messages.unplayable}</p>}
      <TrimBar durationSeconds={durationSeconds} part={part} onPart={setPart} />
      <div class="row">
        <Button variant="primary" onClick={() => onUpload(Object.keys(clip).length > 0 ? clip : undefined)}>
          {Object.keys(clip).length > 0 ? messages.uploadPart : messages.uploadWhole}
        </Button>
        <Button variant="quiet" onClick={onCancel}>
          {common.cancel}
        </Button>
      </div>
    </Card>
  );
}

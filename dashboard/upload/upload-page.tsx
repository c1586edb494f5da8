import './upload.css';
import { useState } from 'preact/hooks';
import { announce } from '../components/announcer.tsx';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { Checkbox } from '../components/field.tsx';
import { PageTitle } from '../components/page-title.tsx';
import { text } from '../messages/messages.ts';
import { DropZone } from './drop-zone.tsx';
import { OpenUploads } from './open-uploads.tsx';
import { addFiles, clearEnded, uploads } from './queue.ts';
import { lastTemplate, TemplateChoice } from './template-choice.tsx';
import { TrimFile } from './trim-file.tsx';
import { type Clip, isOpen } from './upload-item.ts';
import { UploadRow } from './upload-row.tsx';
import { UploadTabs } from './upload-tabs.tsx';

export function UploadPage() {
  const [template, setTemplate] = useState(lastTemplate);
  const [emptyFiles, setEmptyFiles] = useState<readonly string[]>([]);
  const [isTrimming, setIsTrimming] = useState(false);
  /** Files of which a part is to be chosen first. */
  const [toTrim, setToTrim] = useState<readonly File[]>([]);
  const messages = text.value.upload;
  const items = uploads.value;

  const add = (files: File[]): void => {
    const sendable = files.filter(({ size }) => size > 0);
    setEmptyFiles(files.filter(({ size }) => size === 0).map(({ name }) => name));
    if (isTrimming) setToTrim((before) => [...before, ...sendable]);
    else send(sendable);
  };
  const send = (files: File[], clip?: Clip): void => {
    addFiles(files, { template, clip });
    announce(messages.added(files.length));
  };
  const [nextToTrim, ...othersToTrim] = toTrim;
  return (
    <>
      <PageTitle title={messages.title} />
      <UploadTabs />
      <TemplateChoice value={template} onValue={setTemplate} />
      <DropZone onFiles={add} isDisabled={template === ''} />
      <Checkbox label={messages.trimFirst} isChecked={isTrimming} onChecked={setIsTrimming} />
      {nextToTrim && (
        <TrimFile
          key={`${nextToTrim.name} ${toTrim.length}`}
          file={nextToTrim}
          onUpload={(clip) => {
            setToTrim(othersToTrim);
            send([nextToTrim], clip);
          }}
          onCancel={() => setToTrim(othersToTrim)}
        />
      )}
      {emptyFiles.length > 0 && (
        <div class="notice notice-error" role="alert">
          <p>{messages.emptyFiles(emptyFiles.join(', '))}</p>
        </div>
      )}
      {items.length > 0 && (
        <section class="stack" aria-label={messages.list}>
          <ul class="upload-list">
            {items.map((item) => (
              <UploadRow key={item.id} item={item} />
            ))}
          </ul>
          {items.some((item) => !isOpen(item)) && (
            <Button variant="quiet" onClick={clearEnded}>
              {messages.clearEnded}
            </Button>
          )}
        </section>
      )}
      <OpenUploads own={new Set(items.flatMap(({ started }) => (started ? [started.ulid] : [])))} />
      <ApiCall
        method="POST"
        path="/api/objstore/multipart"
        body={{ filename: 'holiday.mp4', type: 'video/mp4', metadata: { template } }}
      />
    </>
  );
}

import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { fieldErrors } from '../../api/error-text.ts';
import { useAction } from '../../api/use-action.ts';
import { ApiCall } from '../../components/api-call.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { onSubmit } from '../../components/submit.ts';
import { text } from '../../messages/messages.ts';
import { DeliveryFields, type DeliveryTarget } from '../../storages/delivery-fields.tsx';
import type { Storage } from '../../storages/storage-form.ts';
import type { Video } from '../video-properties.ts';
import { creationOf, deliverableOutputs } from './delivery-properties.ts';

type DeliverDialogProps = {
  video: Video;
  /** at least one */
  storages: readonly Storage[];
  onStarted(storage: string): void;
  onClose(): void;
};

/** Copies the files of a completed video to a storage. */
export function DeliverDialog({ video, storages, onStarted, onClose }: DeliverDialogProps) {
  const { common, storageDeliveries } = text.value;
  const messages = storageDeliveries.video;
  const [target, setTarget] = useState<DeliveryTarget>({
    storage: storages[0]!.ulid,
    path: '',
    outputs: '*',
    also: [],
  });
  const params = { path: { ulid: video.ulid } };
  const body = creationOf(target);
  const deliver = useAction(async () => {
    await api.POST('/api/videos/{ulid}/deliveries', { params, body });
    onStarted(target.storage);
  });
  const errors = Object.entries(fieldErrors(deliver.error));
  /** Those of a field and of what is in it, such as those of `outputs.0`. */
  const errorsAt = (field: keyof DeliveryTarget): string[] =>
    errors.flatMap(([path, texts]) => (path.split('.')[0] === field ? texts : []));
  return (
    <Dialog title={messages.deliver} onClose={onClose}>
      <form class="form" noValidate onSubmit={onSubmit(() => deliver.run())}>
        <p class="hint">{messages.deliverHint}</p>
        <DeliveryFields
          target={target}
          errors={{
            storage: errorsAt('storage'),
            path: errorsAt('path'),
            outputs: errorsAt('outputs'),
            also: errorsAt('also'),
          }}
          storages={storages}
          outputNames={deliverableOutputs(video.outputs)}
          onChange={(changes) => setTarget((target) => ({ ...target, ...changes }))}
        />
        <ErrorNotice error={errors.length > 0 ? undefined : deliver.error} />
        <ApiCall method="POST" path="/api/videos/{ulid}/deliveries" params={params.path} body={body} />
        <div class="dialog-actions">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="primary" isBusy={deliver.isRunning}>
            {messages.start}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

import { useState } from 'preact/hooks';
import { bodyOf } from '../../../client/api.ts';
import { api } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { announce } from '../../components/announcer.tsx';
import { ApiCall } from '../../components/api-call.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { text } from '../../messages/messages.ts';
import type { Webhook } from '../webhook-properties.ts';
import { SecretOnce } from './secret-once.tsx';

type RotateSecretProps = { webhook: Webhook; onClose(): void };

/** Asks, then shows the new secret, which is only in the state of this dialog. */
export function RotateSecret({ webhook: { ulid, name }, onClose }: RotateSecretProps) {
  const { webhooks: messages, common } = text.value;
  const [secret, setSecret] = useState<string>();
  const rotate = useAction(async () => {
    const rotated = await bodyOf(api.POST('/api/webhooks/{ulid}/rotate-secret', { params: { path: { ulid } } }));
    setSecret(rotated.secret);
    announce(messages.rotated);
  });
  return (
    <Dialog title={secret === undefined ? messages.rotateTitle(name) : messages.secretOf(name)} onClose={onClose}>
      {secret === undefined ? (
        <>
          <div class="stack">
            <p>{messages.rotateEffect}</p>
            <p class="hint">{messages.rotateAgainEffect}</p>
            <ApiCall method="POST" path="/api/webhooks/{ulid}/rotate-secret" params={{ ulid }} />
          </div>
          <ErrorNotice error={rotate.error} />
          <div class="dialog-actions">
            <Button onClick={onClose}>{common.cancel}</Button>
            <Button variant="primary" isBusy={rotate.isRunning} onClick={() => rotate.run()}>
              {messages.rotate}
            </Button>
          </div>
        </>
      ) : (
        <SecretOnce secret={secret} onClose={onClose} />
      )}
    </Dialog>
  );
}

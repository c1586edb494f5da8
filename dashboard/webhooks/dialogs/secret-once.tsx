import { ShownOnce } from '../../components/shown-once.tsx';
import { text } from '../../messages/messages.ts';

/** The secret of a webhook, after its creation and after a rotation. */
export function SecretOnce({ secret, onClose }: { secret: string; onClose(): void }) {
  const messages = text.value.webhooks;
  return (
    <ShownOnce
      notice={messages.secretOnce}
      label={messages.secret}
      value={secret}
      copyLabel={messages.copySecret}
      closeLabel={messages.secretKept}
      onClose={onClose}
    />
  );
}

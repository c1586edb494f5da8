import { useState } from 'preact/hooks';
import { fieldErrors } from '../../api/error-text.ts';
import { useAction } from '../../api/use-action.ts';
import { ApiCall } from '../../components/api-call.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { TextField } from '../../components/field.tsx';
import { onSubmit } from '../../components/submit.ts';
import { text } from '../../messages/messages.ts';
import { instantOf, localInputOf } from './delivery-query.ts';
import { resendSince } from './resend-since.ts';

type ResendFailedProps = { webhook: string; onResent(): void; onClose(): void };

const dayMilliseconds = 24 * 3600 * 1000;

/** Sends all failed events since a time again, and says how many these are. */
export function ResendFailed({ webhook, onResent, onClose }: ResendFailedProps) {
  const { common, webhooks } = text.value;
  const messages = webhooks.deliveries;
  const [since, setSince] = useState(() => localInputOf(Date.now() - dayMilliseconds));
  const [resent, setResent] = useState<number>();
  const from = instantOf(since);
  const resend = useAction(async () => {
    if (from === undefined) return;
    await resendSince(webhook, from, setResent).finally(onResent);
  });
  const errors = from === undefined ? [messages.sinceMissing] : fieldErrors(resend.error).from;
  return (
    <Dialog title={messages.resendFailed} onClose={onClose}>
      <form class="form" noValidate onSubmit={onSubmit(() => resend.run())}>
        <p>{messages.resendFailedEffect}</p>
        <TextField
          label={messages.since}
          hint={messages.sinceHint}
          type="datetime-local"
          value={since}
          onValue={(value) => {
            setResent(undefined);
            setSince(value);
          }}
          errors={errors}
        />
        {errors === undefined && <ErrorNotice error={resend.error} />}
        {/* The region exists before its text, so that screen readers announce the text. */}
        <div role="status">{resent !== undefined && <p class="notice">{messages.resent(resent)}</p>}</div>
        <ApiCall
          method="POST"
          path="/api/webhooks/{ulid}/deliveries/resend-failed"
          params={{ ulid: webhook }}
          body={{ from: from ?? '' }}
        />
        <div class="dialog-actions">
          <Button onClick={onClose}>{common.close}</Button>
          <Button type="submit" variant="primary" isBusy={resend.isRunning} disabled={from === undefined}>
            {messages.resend}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

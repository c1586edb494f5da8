import { useState } from 'preact/hooks';
import { signOut } from '../api/session.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { ConfirmDialog } from '../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { text } from '../messages/messages.ts';

/** There is no sample of the call: it needs the cookie of a session, which a script does not have. */
export function Sessions() {
  const { account: messages, app } = text.value;
  const [isAsking, setIsAsking] = useState(false);
  const leave = useAction(() => signOut());
  return (
    <Card title={messages.sessions}>
      <p class="hint">{messages.sessionsHint}</p>
      <ErrorNotice error={leave.error} />
      <div class="row">
        <Button isBusy={leave.isRunning} onClick={() => leave.run()}>
          {app.signOut}
        </Button>
        <Button onClick={() => setIsAsking(true)}>{messages.signOutEverywhere}</Button>
      </div>
      {isAsking && (
        <ConfirmDialog
          title={messages.signOutEverywhereTitle}
          confirmLabel={messages.signOutEverywhere}
          isDangerous
          onConfirm={() => signOut({ everywhere: true })}
          onClose={() => setIsAsking(false)}
        >
          <p>{messages.signOutEverywhereEffect}</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

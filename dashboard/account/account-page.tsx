import './account.css';
import { useState } from 'preact/hooks';
import { session } from '../api/current-user.ts';
import { signOut } from '../api/session.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { ConfirmDialog } from '../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { PageTitle } from '../components/page-title.tsx';
import { text } from '../messages/messages.ts';
import { Activity } from './activity.tsx';
import { MonthUse } from './month-use.tsx';
import { PasswordForm } from './password-form.tsx';
import { ProfileForm } from './profile-form.tsx';
import { Tokens } from './tokens.tsx';

export function AccountPage() {
  const user = session.value;
  if (!user) return null;
  return (
    <>
      <PageTitle title={text.value.account.title} />
      <div class="account-columns">
        <div class="stack">
          <ProfileForm user={user} />
          <PasswordForm user={user} />
        </div>
        <div class="stack">
          <MonthUse />
          <Tokens />
          <Sessions />
        </div>
      </div>
      <Activity />
    </>
  );
}

/** There is no sample of the call: it needs the cookie of a session, which a script does not have. */
function Sessions() {
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

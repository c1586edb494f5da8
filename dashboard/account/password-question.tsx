import { useState } from 'preact/hooks';
import { passwordQuestion } from '../api/ask-password.ts';
import { type Me, session, sessionEnded } from '../api/current-user.ts';
import { fieldErrors, hasFieldCode } from '../api/error-text.ts';
import { confirmSession, signIn } from '../api/session.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialogs/dialog.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { PasswordField } from '../components/field.tsx';
import { onSubmit } from '../components/submit.ts';
import { text } from '../messages/messages.ts';

/** Asks for the password of the user above the page, which stays as it is. */
export function PasswordQuestion() {
  const question = passwordQuestion.value;
  const user = session.value;
  // Without the password of an ended session there is nothing else to do, so the dialog opens again when it is closed.
  const [closings, setClosings] = useState(0);
  if (!question || !user) return null;
  const { reason, settle } = question;
  return (
    <PasswordDialog
      key={`${reason} ${closings}`}
      user={user}
      hasEnded={reason === 'sessionEnded'}
      onGiven={() => settle(true)}
      onClose={reason === 'sessionEnded' ? () => setClosings(closings + 1) : () => settle(false)}
      onLeave={() => {
        sessionEnded();
        settle(false);
      }}
    />
  );
}

type PasswordDialogProps = {
  user: Me;
  hasEnded: boolean;
  onGiven(): void;
  onClose(): void;
  /** The page is left for the sign-in of anybody. */
  onLeave(): void;
};

function PasswordDialog({ user: { email }, hasEnded, onGiven, onClose, onLeave }: PasswordDialogProps) {
  const { common, signIn: messages } = text.value;
  const [password, setPassword] = useState('');
  const give = useAction(async () => {
    await (hasEnded ? signIn({ email, password }) : confirmSession(password));
    onGiven();
  });
  const errors = hasFieldCode(give.error, 'credentials')
    ? { password: [text.value.codes.fields.wrong_password('')] }
    : fieldErrors(give.error);
  return (
    <Dialog title={hasEnded ? messages.again : messages.confirm} onClose={onClose}>
      <form class="form" noValidate onSubmit={onSubmit(() => give.run())}>
        <p data-hides-page={hasEnded || undefined}>{hasEnded ? messages.againReason(email) : messages.confirmReason}</p>
        {/* For password managers. */}
        <input type="text" name="username" autocomplete="username" value={email} readOnly hidden />
        <PasswordField
          label={messages.password}
          name="current-password"
          autocomplete="current-password"
          autofocus
          value={password}
          onValue={setPassword}
          errors={errors.password}
        />
        <ErrorNotice error={errors.password ? undefined : give.error} />
        <div class="dialog-actions">
          <Button onClick={hasEnded ? onLeave : onClose}>{hasEnded ? messages.otherAccount : common.cancel}</Button>
          <Button type="submit" variant="primary" isBusy={give.isRunning}>
            {hasEnded ? messages.submit : messages.confirmSubmit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

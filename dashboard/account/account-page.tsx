import './account.css';
import { session } from '../api/current-user.ts';
import { PageTitle } from '../components/page-title.tsx';
import { text } from '../messages/messages.ts';
import { Activity } from './activity.tsx';
import { MonthUse } from './month-use.tsx';
import { PasswordForm } from './password-form.tsx';
import { ProfileForm } from './profile-form.tsx';
import { Sessions } from './sessions.tsx';
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

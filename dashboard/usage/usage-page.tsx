import './usage.css';
import { useLocation } from 'preact-iso';
import { api } from '../api/client.ts';
import { session } from '../api/current-user.ts';
import { useResource } from '../api/use-resource.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { SelectField } from '../components/field.tsx';
import { PageTitle } from '../components/page-title.tsx';
import { text } from '../messages/messages.ts';
import { AnalyticsSection } from './analytics-section.tsx';
import { choiceOf, queryOf, today } from './date-range.ts';
import { RangePicker } from './range-picker.tsx';
import { UsageSection } from './usage-section.tsx';

/** The value of the choice of the whole service, among ids of users. */
const wholeService = 'all';

/** Range and user are in the address, so that it can be kept and shared. */
export function UsagePage() {
  const { query, route } = useLocation();
  const { usage: messages } = text.value;
  const isAdmin = session.value?.is_admin === true;
  const choice = choiceOf(query, today());
  const { user = '' } = isAdmin ? query : {};
  const go = (parameters: Record<string, string>): void => route(`/usage?${new URLSearchParams(parameters)}`, true);
  const range = { from: choice.from, to: choice.to };
  return (
    <>
      <PageTitle title={messages.title} />
      <div class="usage-controls">
        <RangePicker
          choice={choice}
          today={today()}
          onChoice={(choice) => go({ ...queryOf(choice), ...(user !== '' && { user }) })}
        />
        {isAdmin && (
          <UserChoice value={user} onValue={(user) => go({ ...queryOf(choice), ...(user !== '' && { user }) })} />
        )}
      </div>
      <p class="hint">{user === wholeService ? messages.wholeServiceHint : messages.hint}</p>
      {user === wholeService ? (
        <AnalyticsSection range={range} />
      ) : (
        <UsageSection range={range} userId={/^\d+$/.test(user) ? Number(user) : undefined} />
      )}
    </>
  );
}

function UserChoice({ value, onValue }: { value: string; onValue(value: string): void }) {
  const { usage: messages } = text.value;
  const { data, error, reload } = useResource((signal) => api.GET('/api/users', { signal }), { key: 'users' });
  const others = (data?.data ?? []).filter(({ id }) => id !== session.value?.id);
  return (
    <>
      <SelectField
        label={messages.user}
        value={value}
        onValue={onValue}
        options={[
          { value: '', label: messages.myself },
          { value: wholeService, label: messages.wholeService },
          ...others.map(({ id, name, email }) => ({ value: String(id), label: `${name} (${email})` })),
        ]}
      />
      <ErrorNotice error={error} onRetry={reload} />
    </>
  );
}

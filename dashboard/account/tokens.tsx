import { useState } from 'preact/hooks';
import type { components } from '../../client/api-types.ts';
import { api } from '../api/client.ts';
import { useResource } from '../api/use-resource.ts';
import { announce } from '../components/announcer.tsx';
import { ApiCall } from '../components/api-call.tsx';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { ConfirmDialog } from '../components/dialogs/dialog.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Loading } from '../components/loading.tsx';
import { formatAgo, formatDateTime } from '../messages/format.ts';
import { text } from '../messages/messages.ts';
import { NewTokenDialog } from './new-token-dialog.tsx';

type Token = components['schemas']['Token'];

export function Tokens() {
  const messages = text.value.account;
  const [isCreating, setIsCreating] = useState(false);
  const { data, error, reload } = useResource((signal) => api.GET('/api/tokens', { signal }), { key: 'tokens' });
  return (
    <Card title={messages.tokens} actions={<Button onClick={() => setIsCreating(true)}>{messages.newToken}</Button>}>
      <p class="hint">{messages.tokensHint}</p>
      <ErrorNotice error={error} onRetry={reload} />
      {data === undefined && error === undefined && <Loading />}
      {data?.data.length === 0 && <EmptyState title={messages.noTokens} />}
      {data !== undefined && data.data.length > 0 && (
        <ul class="token-list">
          {data.data.map((token) => (
            <TokenRow key={token.id} token={token} onRevoked={reload} />
          ))}
        </ul>
      )}
      {isCreating && <NewTokenDialog onCreated={reload} onClose={() => setIsCreating(false)} />}
      <ApiCall method="GET" path="/api/tokens" />
    </Card>
  );
}

function TokenRow({ token, onRevoked }: { token: Token; onRevoked(): void }) {
  const { account: messages } = text.value;
  const [isAsking, setIsAsking] = useState(false);
  const { id, name, abilities } = token;
  const revoke = async (): Promise<void> => {
    await api.DELETE('/api/tokens/{id}', { params: { path: { id: String(id) } } });
    announce(messages.revoked(name));
    onRevoked();
  };
  return (
    <li>
      <div>
        <p class="token-name">{name}</p>
        <p>{abilities.map((one) => (one === '*' ? messages.everything : messages.abilities[one])).join(' · ')}</p>
        <p class="hint">{timesOf(token).join(' ')}</p>
      </div>
      <Button onClick={() => setIsAsking(true)} aria-label={messages.revokeToken(name)}>
        {messages.revoke}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={messages.revokeTitle(name)}
          confirmLabel={messages.revoke}
          isDangerous
          apiCall={<ApiCall method="DELETE" path="/api/tokens/{id}" params={{ id }} />}
          onConfirm={revoke}
          onClose={() => setIsAsking(false)}
        >
          <p>{messages.revokeEffect}</p>
        </ConfirmDialog>
      )}
    </li>
  );
}

/** When a token was created and used last, and when it expires: a sentence each. */
function timesOf({ created_at, expires_at, last_used_at }: Token): string[] {
  const { account: messages } = text.value;
  const isOver = expires_at !== null && Date.parse(expires_at) <= Date.now();
  const expiry = isOver ? messages.tokenExpired : messages.tokenExpires;
  return [
    messages.tokenCreated(formatDateTime(created_at)),
    ...(expires_at === null ? [] : [expiry(formatDateTime(expires_at))]),
    last_used_at === null ? messages.tokenUnused : usedSince(last_used_at),
  ];
}

/** The service notes the hour only, so the minutes since a use are not known. */
const usedSince = (hour: string): string => {
  const { account: messages } = text.value;
  return Date.now() - Date.parse(hour) < 3600 * 1000 ? messages.tokenUsedNow : messages.tokenUsed(formatAgo(hour));
};

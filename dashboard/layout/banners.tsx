import { useEffect } from 'preact/hooks';
import { isConnected } from '../api/connection.ts';
import { announce } from '../components/announcer.tsx';
import { Button } from '../components/button.tsx';
import { text } from '../messages/messages.ts';
import { hasNewVersion } from './new-version.ts';

/** What concerns the whole app: a lost connection, and a new version that could not be loaded by itself. */
export function Banners() {
  const { app } = text.value;
  const isLost = !isConnected.value;
  // Screen readers read a banner when it appears, and say nothing when it disappears.
  useEffect(() => (isLost ? () => announce(text.value.app.connectionRestored) : undefined), [isLost]);
  return (
    <div role="status">
      {isLost && <p class="banner">{app.connectionLost}</p>}
      {hasNewVersion.value && (
        <p class="banner">
          {app.newVersion} <Button onClick={() => location.reload()}>{app.reload}</Button>
        </p>
      )}
    </div>
  );
}

import { isConnected } from '../api/connection.ts';
import { Button } from '../components/button.tsx';
import { text } from '../messages/messages.ts';
import { hasNewVersion } from './new-version.ts';

/** What concerns the whole app: a lost connection, and a new version that could not be loaded by itself. */
export function Banners() {
  const { app } = text.value;
  return (
    <div role="status">
      {!isConnected.value && <p class="banner">{app.connectionLost}</p>}
      {hasNewVersion.value && (
        <p class="banner">
          {app.newVersion} <Button onClick={() => location.reload()}>{app.reload}</Button>
        </p>
      )}
    </div>
  );
}

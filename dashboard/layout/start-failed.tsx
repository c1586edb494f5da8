import { ErrorNotice } from '../components/error-notice.tsx';
import { text } from '../messages/messages.ts';

type StartFailedProps = { error: unknown };

/** The service did not answer when the page was opened. */
export const StartFailed = ({ error }: StartFailedProps) => (
  <main class="sign-in">
    <h1>{text.value.errors.title}</h1>
    <ErrorNotice error={error} onRetry={() => location.reload()} />
  </main>
);

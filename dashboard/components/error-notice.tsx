import { errorText } from '../api/error-text.ts';
import { text } from '../messages/messages.ts';
import { Button } from './button.tsx';

type ErrorNoticeProps = { error: unknown; onRetry?: (() => void) | undefined };

/** Nothing without an error. */
export const ErrorNotice = ({ error, onRetry }: ErrorNoticeProps) =>
  error === undefined ? null : (
    <div class="notice notice-error" role="alert">
      <p>{errorText(error)}</p>
      {onRetry && <Button onClick={onRetry}>{text.value.common.retry}</Button>}
    </div>
  );

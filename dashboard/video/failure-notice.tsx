import { failedOutputs, reasonOf } from '../../client/failure-reasons.ts';
import { text } from '../messages/messages.ts';
import type { Video } from './video-facts.ts';

type FailureNoticeProps = { video: Video };

/** Why a video or some of its outputs failed, and what can be done. Nothing when none did. */
export function FailureNotice({ video }: FailureNoticeProps) {
  const messages = text.value.video;
  if (video.status === 'failed') {
    return (
      <div class="notice notice-error" role="alert">
        <div>
          <p>
            <strong>{messages.failed}</strong> {reasonOf(video)}
          </p>
          <p>{messages.failedHint}</p>
        </div>
      </div>
    );
  }
  const failed = failedOutputs(video);
  if (failed.length === 0) return null;
  return (
    <div class="notice notice-error">
      <div>
        <p>{messages.partlyFailed}</p>
        <ul>
          {failed.map(({ name, reason }) => (
            <li key={name}>
              <strong>{name}</strong>: {reason}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

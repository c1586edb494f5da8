import { useRef } from 'preact/hooks';
import { failedOutputs, reasonOf } from '../../client/failure-reasons.ts';
import { shareOfVideo } from '../../client/progress.ts';
import { FailureReason } from '../components/failure-reason.tsx';
import { formatPercent } from '../messages/format.ts';
import { text } from '../messages/messages.ts';
import { failureOf, type Video } from './video-properties.ts';

type FailureNoticeProps = { video: Video };

/** Why a video or some of its outputs failed, and what can be done. Nothing when none did. */
export function FailureNotice({ video }: FailureNoticeProps) {
  const messages = text.value.video;
  if (video.status === 'failed') {
    const reason = reasonOf(video);
    const { cause } = failureOf(reason);
    return (
      <div class="notice notice-error" role="alert">
        <div>
          <p>
            <strong>{messages.failed}</strong>
          </p>
          <FailureReason reason={reason} />
          <p>{messages.failedHints[cause]}</p>
          {cause === 'file' && (
            <a class="button" href="/upload">
              {messages.uploadAnother}
            </a>
          )}
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
              <strong>{name}</strong>
              <FailureReason reason={reason} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

type ProgressBarProps = { video: Video };

/** It never goes back while the page is open, also when an output is added to the mean. */
export function ProgressBar({ video }: ProgressBarProps) {
  const shown = useRef(0);
  shown.current = Math.max(shown.current, shareOfVideo(video));
  const { progress } = text.value.video;
  return (
    <div class="video-progress">
      <progress class="progress" max={1} value={shown.current} aria-label={progress} />
      <span>{formatPercent(shown.current)}</span>
    </div>
  );
}

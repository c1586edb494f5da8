import { useRef } from 'preact/hooks';
import { formatPercent } from '../messages/format.ts';
import { text } from '../messages/messages.ts';
import { progressOf, type Video } from './video-facts.ts';

type ProgressBarProps = { video: Video };

/** It never goes back while the page is open, also when an output is added to the mean. */
export function ProgressBar({ video }: ProgressBarProps) {
  const shown = useRef(0);
  shown.current = Math.max(shown.current, progressOf(video));
  const { progress } = text.value.video;
  return (
    <div class="video-progress">
      <progress class="progress" max={1} value={shown.current} aria-label={progress} />
      <span>{formatPercent(shown.current)}</span>
    </div>
  );
}

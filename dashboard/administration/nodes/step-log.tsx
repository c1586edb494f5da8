import { useEffect, useRef } from 'preact/hooks';
import { text } from '../../messages/messages.ts';
import { emptyLog, withLog } from './log-lines.ts';

type StepLogProps = { name: string; log: string };

/** A user who is nearer to the end than this reads the newest lines. */
const nearEndPixels = 32;

/** The log of a step. It shows its end while it grows, until the user scrolls up to read. */
export function StepLog({ name, log }: StepLogProps) {
  const box = useRef<HTMLPreElement>(null);
  const followsEnd = useRef(true);
  const known = useRef(emptyLog);
  known.current = withLog(known.current, log);
  const { lines, skipped } = known.current;
  const messages = text.value.administration.nodes;

  useEffect(() => {
    const element = box.current;
    if (element && followsEnd.current) element.scrollTop = element.scrollHeight;
  }, [log]);
  const onScroll = ({ currentTarget: { scrollTop, scrollHeight, clientHeight } }: { currentTarget: HTMLElement }) => {
    followsEnd.current = scrollHeight - scrollTop - clientHeight < nearEndPixels;
  };
  return (
    // A log is a live region whose new lines are read out when the reader is idle.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <pre ref={box} class="step-log" role="log" aria-label={messages.logOf(name)} tabIndex={0} onScroll={onScroll}>
      {lines.length === 0 && messages.noLog}
      {lines.map((line, index) => (
        <span key={skipped + index}>{`${line}\n`}</span>
      ))}
    </pre>
  );
}

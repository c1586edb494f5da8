import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { formatSpan } from '../../messages/format.ts';
import { text } from '../../messages/messages.ts';
import { emptyLog, withLog } from './log-lines.ts';
import { type DeployStep, isStepRunning } from './node-properties.ts';

type StepLogProps = { name: string; log: string };

/** A user who is nearer to the end than this reads the newest lines. */
const nearEndPixels = 32;

/** The log of a step. It shows its end while it grows, until the user scrolls up to read. */
function StepLog({ name, log }: StepLogProps) {
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

type DeployStepRowProps = {
  step: DeployStep;
  /** It is the one to run next. */
  isNext: boolean;
  /** Its log is shown. */
  isOpen: boolean;
  canRun: boolean;
  onRun(): void;
  onOpen(isOpen: boolean): void;
};

export function DeployStepRow({ step, isNext, isOpen, canRun, onRun, onOpen }: DeployStepRowProps) {
  const { name, description, status, required, log, started_at, finished_at } = step;
  const messages = text.value.administration.nodes;
  const seconds =
    started_at !== null && finished_at !== null ? (Date.parse(finished_at) - Date.parse(started_at)) / 1000 : undefined;
  const label = status === 'pending' ? messages.run : messages.runAgain;
  return (
    <li class="deploy-step" data-next={isNext}>
      <div class="deploy-step-head">
        <h3>{name}</h3>
        <span class="badge" data-status={badgeColours[status]}>
          {messages.stepStates[status]}
        </span>
        {!required && <span class="hint">{messages.notRequired}</span>}
        {seconds !== undefined && <span class="hint">{formatSpan(seconds)}</span>}
        <Button
          variant={isNext && canRun ? 'primary' : 'secondary'}
          isBusy={isStepRunning(step)}
          disabled={!canRun && !isStepRunning(step)}
          onClick={onRun}
          aria-label={`${label}: ${name}`}
        >
          {label}
        </Button>
      </div>
      <p class="hint">{description}</p>
      {(log !== null || isStepRunning(step)) && (
        <details open={isOpen} onToggle={(event) => event.currentTarget.open !== isOpen && onOpen(!isOpen)}>
          <summary>{messages.log}</summary>
          {isOpen && <StepLog name={name} log={log ?? ''} key={started_at ?? ''} />}
        </details>
      )}
    </li>
  );
}

/** The badge of an output has the colours of these statuses. */
const badgeColours = {
  pending: 'pending',
  queued: 'running',
  running: 'running',
  succeeded: 'completed',
  failed: 'failed',
} as const satisfies Record<DeployStep['status'], string>;

import { Button } from '../../components/button.tsx';
import { formatSpan } from '../../messages/format.ts';
import { text } from '../../messages/messages.ts';
import { type DeployStep, isStepRunning } from './node-facts.ts';
import { StepLog } from './step-log.tsx';

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

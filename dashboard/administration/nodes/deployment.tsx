import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { announce } from '../../components/announcer.tsx';
import { ApiCall } from '../../components/api-call.tsx';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Loading } from '../../components/loading.tsx';
import { text } from '../../messages/messages.ts';
import { DeployStepRow } from './deploy-step.tsx';
import { canRun, type DeployStep, isBusy, isStepRunning, type Node, nextStep, shownStep } from './node-properties.ts';

type DeploymentProps = {
  node: Node;
  /** A step was started, so the status of the node is another one. */
  onStarted(): void;
};

const pollSeconds = 5;
const runningPollSeconds = 1;

/** The steps that make a server a node, with their logs. */
export function Deployment({ node, onStarted }: DeploymentProps) {
  const [opened, setOpened] = useState<string>();
  const params = { path: { id: String(node.id) } };
  const messages = text.value.administration.nodes;
  const { data, error, reload } = useResource((signal) => api.GET('/api/nodes/{id}/deploy/steps', { params, signal }), {
    key: `steps of ${node.id}`,
    pollSeconds: ({ data }) => (data.some(isStepRunning) || isBusy(node) ? runningPollSeconds : pollSeconds),
  });
  const start = useAction(async (step: string) => {
    await api.POST('/api/nodes/{id}/deploy', { params, body: { step } });
    setOpened(step);
    reload();
    onStarted();
  });
  const steps = data?.data ?? [];
  useStepAnnouncements(steps);
  // The status of the node changes when a step ends.
  const running = steps.find(isStepRunning)?.step;
  useEffect(() => {
    onStarted();
  }, [running]);

  const next = nextStep(steps);
  const shown = opened ?? shownStep(steps)?.step;
  return (
    <Card title={messages.deployment}>
      <p class="hint">
        {data !== undefined && (next === undefined ? messages.allSucceeded : messages.nextStep(next.name))}
      </p>
      <ErrorNotice error={error} onRetry={reload} />
      <ErrorNotice error={start.error} />
      {data === undefined && error === undefined && <Loading />}
      <ol class="deploy-steps">
        {steps.map((step) => (
          <DeployStepRow
            key={step.step}
            step={step}
            isNext={step.step === next?.step}
            isOpen={step.step === shown}
            canRun={canRun(step, steps, node) && !start.isRunning}
            onRun={() => start.run(step.step)}
            onOpen={(isOpen) => setOpened(isOpen ? step.step : '')}
          />
        ))}
      </ol>
      <ApiCall
        method="POST"
        path="/api/nodes/{id}/deploy"
        params={{ id: node.id }}
        body={{ step: next?.step ?? 'verify' }}
      />
    </Card>
  );
}

/** Says when a step starts and ends. */
function useStepAnnouncements(steps: readonly DeployStep[]): void {
  const before = useRef(new Map<string, string>());
  useEffect(() => {
    if (steps.length === 0) return;
    const messages = text.value.administration.nodes;
    const known = before.current;
    const changed = steps.findLast(({ step, status }) => known.size > 0 && known.get(step) !== status);
    if (changed) announce(`${changed.name}: ${messages.stepStates[changed.status]}`);
    before.current = new Map(steps.map(({ step, status }) => [step, status]));
  }, [steps]);
}

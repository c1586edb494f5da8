import type { TaskState } from '../definition/asl-types.ts';
import { parseResource, type Resource } from '../definition/task-resource.ts';
import type { OpenTask } from '../execution/execution.ts';
import { toPayload } from '../execution/payload-limit.ts';
import { StateFailure } from '../execution/state-failure.ts';
import { waitFor } from '../execution/stop-signal.ts';
import type { Exit, StateRun } from '../interpreter/interpreter-context.ts';
import { leaveState } from '../interpreter/leave-state.ts';
import { record } from '../interpreter/record-event.ts';
import { bindingsOf } from '../interpreter/state-bindings.ts';
import { evaluateInteger, evaluateTemplate } from '../jsonata/jsonata-template.ts';
import { performTask } from './service-integration.ts';

const MAX_SECONDS = 99_999_999;

/** Schedules the task and waits for its outcome. After a restart, steps that are already recorded are skipped. */
export async function runTask(at: StateRun<TaskState>): Promise<Exit> {
  const { run, frame, state } = at;
  const resource = parseResource(state.Resource);
  if (!frame.activeState?.task && !frame.activeState?.outcome) await schedule(at, resource);
  const open = frame.activeState?.task;
  if (open && !frame.activeState?.outcome) await awaitOutcome(at, resource, open);
  if (open?.token !== undefined) run.services.tokens.revoke(open.token);
  const outcome = frame.activeState?.outcome ?? { error: 'States.Runtime', cause: 'The task has no outcome.' };
  if ('error' in outcome) throw new StateFailure(outcome.error, outcome.cause);
  return leaveState(at, state, state.Next, outcome.output, { result: outcome.output });
}

function prefixOf(resource: Resource): string {
  return resource.kind === 'function' ? 'LambdaFunction' : 'Task';
}

async function schedule(at: StateRun<TaskState>, resource: Resource): Promise<void> {
  const { run, frame, state } = at;
  const { clock, tokens, region } = run.services;
  const token = resource.kind === 'service' && resource.suffix !== '' ? tokens.create() : undefined;
  const bindings = bindingsOf(at, { token });
  const evaluated =
    state.Arguments === undefined
      ? frame.activeState?.input
      : await evaluateTemplate(state.Arguments, bindings, 'Arguments');
  const parameters = toPayload(evaluated, `The Arguments of the state '${frame.activeState?.name}'`);
  const seconds = async (field: 'TimeoutSeconds' | 'HeartbeatSeconds') =>
    state[field] === undefined ? undefined : await evaluateInteger(state[field], bindings, field, [1, MAX_SECONDS]);
  const timeoutSeconds = await seconds('TimeoutSeconds');
  const heartbeatSeconds = await seconds('HeartbeatSeconds');

  const limits = {
    ...(timeoutSeconds !== undefined && { timeoutInSeconds: timeoutSeconds }),
    ...(heartbeatSeconds !== undefined && resource.kind === 'service' && { heartbeatInSeconds: heartbeatSeconds }),
  };
  const extra = {
    ...(token !== undefined && { token }),
    ...(timeoutSeconds !== undefined && { deadlineMs: clock.now() + timeoutSeconds * 1000 }),
    ...(heartbeatSeconds !== undefined && { heartbeatSeconds }),
  };
  const details =
    resource.kind === 'function'
      ? { resource: resource.arn, input: parameters, ...limits }
      : {
          resourceType: resource.service,
          resource: `${resource.action}${resource.suffix}`,
          region,
          parameters,
          ...limits,
        };
  record(run, frame, `${prefixOf(resource)}Scheduled`, details, extra);
  record(run, frame, `${prefixOf(resource)}Started`, frame.activeState?.task?.identity);
}

/** Resolves when the outcome is recorded: the result of the call, a call with the task token, or a timeout. */
function awaitOutcome(at: StateRun<TaskState>, resource: Resource, open: OpenTask): Promise<void> {
  const { run, frame } = at;
  const { clock, tokens } = run.services;
  const prefix = prefixOf(resource);
  return waitFor(run.stop, (resolve, reject) => {
    let waiting = true;
    let cancelTimer = () => {};

    const tell = (type: string, details: Record<string, unknown>) => {
      if (!waiting) return;
      try {
        record(run, frame, `${prefix}${type}`, { ...open.identity, ...details });
        open.onChange?.();
      } catch (error) {
        reject(error);
      }
    };
    const armTimer = () => {
      cancelTimer();
      const limit = nextLimit(open);
      if (!limit) return;
      cancelTimer = clock.wakeAt(limit.dueMs, () => tell('TimedOut', { error: limit.error }));
    };
    open.onChange = () => (frame.activeState?.outcome ? resolve() : armTimer());

    armTimer();
    if (open.token !== undefined) tokens.register(open.token, { run, frame });
    if (!open.submitted) {
      performTask(run, resource, open.arguments)
        .then((result) =>
          toPayload(result, `The task of the state '${frame.activeState?.name}' returned a result that`),
        )
        .then(
          (output) => tell(open.token === undefined ? 'Succeeded' : 'Submitted', { output }),
          (failure) => tell('Failed', describeFailure(failure)),
        );
    }
    return () => {
      waiting = false;
      delete open.onChange;
      cancelTimer();
      if (open.token !== undefined) tokens.revoke(open.token);
    };
  });
}

function nextLimit(open: OpenTask): { dueMs: number; error: string } | undefined {
  const limits = [
    { dueMs: open.deadlineMs, error: 'States.Timeout' },
    {
      dueMs: open.heartbeatSeconds === undefined ? undefined : open.heartbeatMs + open.heartbeatSeconds * 1000,
      error: 'States.HeartbeatTimeout',
    },
  ];
  return limits
    .filter((limit): limit is { dueMs: number; error: string } => limit.dueMs !== undefined)
    .sort((one, other) => one.dueMs - other.dueMs)[0];
}

function describeFailure(failure: unknown): Record<string, unknown> {
  if (failure instanceof StateFailure) return { error: failure.error, cause: failure.errorCause };
  return { error: 'States.TaskFailed', cause: String(failure) };
}

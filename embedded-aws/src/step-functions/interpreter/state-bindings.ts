import type { Bindings } from '../jsonata/jsonata-expression.ts';
import type { StateRun } from './interpreter-context.ts';

export type Reserved = { result?: unknown; errorOutput?: unknown; token?: string | undefined; mapItem?: unknown };

/** What the expressions of a state can read: the variables in scope and `$states`. */
export function bindingsOf({ run, frame, scope }: StateRun<unknown>, reserved: Reserved = {}): Bindings {
  const { execution, services } = run;
  const { activeState } = frame;
  const mapItem = reserved.mapItem ?? scope.mapItem;
  const context = {
    Execution: {
      Id: execution.arn,
      Input: execution.input,
      Name: execution.name,
      RoleArn: services.roleArn,
      StartTime: new Date(execution.startMs).toISOString(),
      RedriveCount: 0,
    },
    StateMachine: { Id: execution.machineArn, Name: execution.machineName },
    State: {
      Name: activeState?.name,
      EnteredTime: new Date(activeState?.enteredMs ?? execution.startMs).toISOString(),
      RetryCount: activeState?.retries.reduce((sum, count) => sum + count, 0) ?? 0,
    },
    ...(reserved.token !== undefined && { Task: { Token: reserved.token } }),
    ...(mapItem !== undefined && { Map: { Item: mapItem } }),
  };
  const states = {
    input: activeState?.input,
    context,
    ...('result' in reserved && { result: reserved.result }),
    ...('errorOutput' in reserved && { errorOutput: reserved.errorOutput }),
  };
  return { ...visibleVariables({ frame, scope }), states };
}

/** The variables of this flow and of the enclosing flows. */
export function visibleVariables({
  frame,
  scope,
}: Pick<StateRun<unknown>, 'frame' | 'scope'>): Record<string, unknown> {
  return { ...scope.variables, ...frame.variables };
}

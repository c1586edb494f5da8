import type { Bindings } from '../jsonata/jsonata-expression.ts';
import type { StateRun } from './interpreter-context.ts';

export type Reserved = { result?: unknown; errorOutput?: unknown; token?: string | undefined; mapItem?: unknown };

/** What the expressions of a state see: the variables in scope and `$states`. */
export function bindingsOf({ run, frame, scope }: StateRun<unknown>, reserved: Reserved = {}): Bindings {
  const { execution, services } = run;
  const { visit } = frame;
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
      Name: visit?.name,
      EnteredTime: new Date(visit?.enteredMs ?? execution.startMs).toISOString(),
      RetryCount: visit?.retries.reduce((sum, count) => sum + count, 0) ?? 0,
    },
    ...(reserved.token !== undefined && { Task: { Token: reserved.token } }),
    ...(mapItem !== undefined && { Map: { Item: mapItem } }),
  };
  const states = {
    input: visit?.input,
    context,
    ...('result' in reserved && { result: reserved.result }),
    ...('errorOutput' in reserved && { errorOutput: reserved.errorOutput }),
  };
  return { ...visibleVariables({ frame, scope }), states };
}

/** The variables of the flow and of those around it. */
export function visibleVariables({
  frame,
  scope,
}: Pick<StateRun<unknown>, 'frame' | 'scope'>): Record<string, unknown> {
  return { ...scope.variables, ...frame.variables };
}

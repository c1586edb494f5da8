import type { Resource } from '../definition/task-resource.ts';
import { toPayload } from '../execution/payload-limit.ts';
import { StateFailure } from '../execution/state-failure.ts';
import type { Run } from '../interpreter/interpreter-context.ts';

type Performing = Pick<Run, 'services' | 'execution'>;

/** Calls the resource of a Task once. @throws StateFailure with the error names of Step Functions */
export async function performTask(run: Performing, resource: Resource, parameters: unknown): Promise<unknown> {
  if (resource.kind === 'function') return invoke(run, resource.arn, parameters);
  if (resource.api === 'lambda:invoke') return invokeByParameters(run, parameters);
  try {
    return await run.services.startTask(resource.api, parameters);
  } catch (error) {
    throw serviceFailure(resource.service, error);
  }
}

async function invokeByParameters(run: Performing, parameters: unknown): Promise<unknown> {
  const { FunctionName, Payload, InvocationType } = (parameters ?? {}) as Record<string, unknown>;
  if (typeof FunctionName !== 'string') {
    throw new StateFailure('Lambda.ValidationException', 'The Arguments of lambda:invoke need a FunctionName.');
  }
  if (InvocationType === 'Event') {
    await enqueue(run, FunctionName, Payload ?? {});
    return { StatusCode: 202, Payload: {} };
  }
  return { ExecutedVersion: '$LATEST', Payload: await invoke(run, FunctionName, Payload ?? {}), StatusCode: 200 };
}

async function enqueue({ services, execution }: Performing, functionName: string, payload: unknown): Promise<void> {
  try {
    await services.enqueueLambda(functionName, payload, execution.machineArn);
  } catch (error) {
    throw serviceFailure('lambda', error);
  }
}

async function invoke(
  { services, execution }: Performing,
  functionArnOrName: string,
  payload: unknown,
): Promise<unknown> {
  let result: { payload: unknown; functionError?: string };
  try {
    result = await services.invokeLambda(functionArnOrName, payload, execution.machineArn);
  } catch (error) {
    throw serviceFailure('lambda', error);
  }
  if (result.functionError === undefined) return toPayload(result.payload, 'The function returned a result that');
  const { errorType } = (result.payload ?? {}) as { errorType?: unknown };
  const error = typeof errorType === 'string' && errorType !== '' ? errorType : 'Lambda.Unknown';
  throw new StateFailure(error, JSON.stringify(result.payload));
}

/**
 * Examples: `Lambda.TooManyRequestsException`, `Ecs.ClusterNotFoundException`; `Lambda.Unknown` for an error without a
 * name.
 */
function serviceFailure(service: string, thrown: unknown): StateFailure {
  if (thrown instanceof StateFailure) return thrown;
  const { name, message } = thrown instanceof Error ? thrown : { name: '', message: String(thrown) };
  if (name.includes('.')) return new StateFailure(name, message);
  const title = service.replace('aws-sdk:', '').replace(/^./, (letter) => letter.toUpperCase());
  return new StateFailure(`${title}.${name.endsWith('Exception') ? name : 'Unknown'}`, message);
}

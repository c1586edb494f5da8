import { randomUUID } from 'node:crypto';
import type { ControlService } from '../control/control-service.ts';
import { AccessDenied, authorize } from '../iam/authorize.ts';
import type { Principal } from '../iam/principals.ts';
import { StepFunctionsError } from './api/step-functions-errors.ts';
import type { StepFunctions } from './step-functions.ts';

export const stepFunctionsTarget = 'AWSStepFunctions';
/** An input of 256 KiB in which every character may be escaped. */
const maxBodyBytes = 2 * 1024 * 1024;

/**
 * The protocol of the service (awsJson1_0): operations by `X-Amz-Target`, errors as status 400 with `__type` and
 * `message`.
 */
export function stepFunctionsService(states: Pick<StepFunctions, 'call' | 'resourceOf'>): ControlService {
  return {
    signingName: 'states',
    protocol: 'json-1.0',
    maxBodyBytes,
    async handle(request, response, body, caller) {
      const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
      const { status, output } = await outputOf(states, operation, body, caller);
      const text = JSON.stringify(output, epochSeconds);
      response.writeHead(status, {
        'content-type': 'application/x-amz-json-1.0',
        'content-length': Buffer.byteLength(text),
        'x-amzn-requestid': randomUUID(),
      });
      response.end(text);
    },
  };
}

/** @throws AccessDenied */
async function outputOf(
  states: Pick<StepFunctions, 'call' | 'resourceOf'>,
  operation: string,
  body: Buffer,
  caller: Principal,
): Promise<{ status: number; output: unknown }> {
  try {
    const input = parseBody(body);
    const resource = states.resourceOf(operation, input);
    if (resource !== undefined) authorize(caller, `states:${operation}`, resource);
    return { status: 200, output: await states.call(operation, input) };
  } catch (error) {
    if (error instanceof AccessDenied) throw error;
    if (error instanceof StepFunctionsError)
      return { status: 400, output: { __type: error.name, message: error.message } };
    process.emitWarning(error instanceof Error ? error : String(error));
    return { status: 500, output: { __type: 'InternalFailure', message: 'The request could not be processed.' } };
  }
}

function parseBody(body: Buffer): Record<string, unknown> {
  try {
    const input = JSON.parse(body.length === 0 ? '{}' : body.toString('utf8'));
    if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input;
  } catch {
    // Reported below.
  }
  throw new StepFunctionsError('SerializationException', 'The body is not a JSON object.');
}

/** Writes dates as epoch seconds. Reads the containing object, because `value` is already a string here. */
function epochSeconds(this: unknown, key: string, value: unknown): unknown {
  const held = (this as Record<string, unknown>)[key];
  return held instanceof Date ? held.getTime() / 1000 : value;
}

import { randomUUID } from 'node:crypto';
import type { ControlService } from '../control/control-service.ts';
import { AccessDenied, authorize } from '../iam/authorize.ts';
import type { Principal } from '../iam/principals.ts';
import { StatesError } from './api/step-functions-errors.ts';
import type { States } from './step-functions.ts';

export const statesTarget = 'AWSStepFunctions';
/** An input of 256 KiB, each of whose characters may be escaped. */
const maxBodyBytes = 2 * 1024 * 1024;

/** Answers the service's protocol (awsJson1_0): operations by `X-Amz-Target`, errors as 400 with `__type` and `message`. */
export function statesService(states: Pick<States, 'call' | 'resourceOf'>): ControlService {
  return {
    signingName: 'states',
    protocol: 'json-1.0',
    maxBodyBytes,
    async handle(request, response, body, caller) {
      const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
      const { status, answer } = await answerTo(states, operation, body, caller);
      const text = JSON.stringify(answer, epochSeconds);
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
async function answerTo(
  states: Pick<States, 'call' | 'resourceOf'>,
  operation: string,
  body: Buffer,
  caller: Principal,
): Promise<{ status: number; answer: unknown }> {
  try {
    const input = parseBody(body);
    const resource = states.resourceOf(operation, input);
    if (resource !== undefined) authorize(caller, `states:${operation}`, resource);
    return { status: 200, answer: await states.call(operation, input) };
  } catch (error) {
    if (error instanceof AccessDenied) throw error;
    if (error instanceof StatesError) return { status: 400, answer: { __type: error.name, message: error.message } };
    process.emitWarning(error instanceof Error ? error : String(error));
    return { status: 500, answer: { __type: 'InternalFailure', message: 'The request could not be processed.' } };
  }
}

function parseBody(body: Buffer): Record<string, unknown> {
  try {
    const input = JSON.parse(body.length === 0 ? '{}' : body.toString('utf8'));
    if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input;
  } catch {
    // Refused below.
  }
  throw new StatesError('SerializationException', 'The body is no JSON object.');
}

/** Dates as the protocol has them. Reads the holder, because the value is a string by the time it comes here. */
function epochSeconds(this: unknown, key: string, value: unknown): unknown {
  const held = (this as Record<string, unknown>)[key];
  return held instanceof Date ? held.getTime() / 1000 : value;
}

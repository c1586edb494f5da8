import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { authorize } from '../../iam/authorize.ts';
import type { Principal } from '../../iam/principals.ts';
import { type EventSourceMapping, eventSourceMapping } from '../../template/read-event-source-mappings.ts';
import type { FunctionDefinition } from '../../template/read-functions.ts';
import type { EventSources } from './event-sources.ts';

// https://docs.aws.amazon.com/lambda/latest/api/API_EventSourceMappingConfiguration.html

export type MappingContext = { functions: readonly FunctionDefinition[]; eventSources: EventSources };

const path = /^\/2015-03-31\/event-source-mappings\/?([^/?]*)(?:\?|$)/;
// Strict, because nothing else of a mapping can be changed here.
const updateInput = z.strictObject({ Enabled: z.boolean() });

/**
 * Answers what an operator does with mappings: list and create them, and switch one on or off. False for any other
 * request.
 */
export async function handleMappingCall(
  { method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>,
  body: Buffer,
  response: ServerResponse,
  { caller, ...context }: MappingContext & { caller: Principal },
): Promise<boolean> {
  const [matched, uuid] = path.exec(url) ?? [];
  if (matched === undefined) return false;
  const { eventSources, functions } = context;
  const respond = (status: number, content: object): boolean => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
    return true;
  };
  const refuse = (status: number, type: string, Message: string): boolean => {
    response.setHeader('x-amzn-errortype', type);
    return respond(status, { Type: 'User', Message });
  };
  const describe = (mapping: EventSourceMapping) => describeMapping(mapping, context);
  if (method === 'GET' && uuid === '') {
    authorize(caller, 'lambda:ListEventSourceMappings', '*');
    const query = new URL(url, 'http://lambda').searchParams;
    const [name, stream] = [query.get('FunctionName'), query.get('EventSourceArn')];
    const found = eventSources
      .list()
      .filter(
        (one) =>
          (name === null || name.split(':').at(-1) === one.functionName) && (stream ?? one.streamArn) === one.streamArn,
      );
    return respond(200, { EventSourceMappings: found.map(describe) });
  }
  let input: unknown;
  try {
    input = JSON.parse(body.toString());
  } catch {
    return refuse(400, 'InvalidRequestContentException', 'Could not parse request body into json');
  }
  const existing = eventSources.list().find((one) => uuidOf(one) === uuid);
  if (method === 'PUT' && existing) {
    const arn = functions.find(({ name }) => name === existing.functionName)!.arn;
    authorize(caller, 'lambda:UpdateEventSourceMapping', arn.replace(/:function:.*/, `:event-source-mapping:${uuid}`));
    const { success, data } = updateInput.safeParse(input);
    if (!success) return refuse(400, 'InvalidParameterValueException', 'Only Enabled can be changed.');
    const changed = { ...existing, isEnabled: data.Enabled };
    await eventSources.put(changed);
    return respond(202, describe(changed));
  }
  if (method === 'POST' && uuid === '') {
    authorize(caller, 'lambda:CreateEventSourceMapping', '*');
    try {
      const mapping = eventSourceMapping(input);
      const same = eventSources.list().find((one) => uuidOf(one) === uuidOf(mapping));
      if (same) {
        const message = `The mapping of this event source and function already exists: ${uuidOf(same)}`;
        return refuse(409, 'ResourceConflictException', message);
      }
      await eventSources.put(mapping);
      return respond(202, describe(mapping));
    } catch (error) {
      return refuse(400, 'InvalidParameterValueException', (error as Error).message);
    }
  }
  return refuse(404, 'ResourceNotFoundException', 'The resource you requested does not exist.');
}

/** The same at every start. */
function uuidOf({ functionName, streamArn }: EventSourceMapping): string {
  const hex = hash('sha256', `${functionName} ${streamArn}`);
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function describeMapping(mapping: EventSourceMapping, { functions, eventSources }: MappingContext) {
  const { onFailureQueueArn, filters } = mapping;
  return {
    UUID: uuidOf(mapping),
    FunctionArn: functions.find(({ name }) => name === mapping.functionName)!.arn,
    EventSourceArn: mapping.streamArn,
    State: mapping.isEnabled ? 'Enabled' : 'Disabled',
    StateTransitionReason: 'User action',
    LastProcessingResult: eventSources.hasStream(mapping) ? 'OK' : 'PROBLEM: Stream not found',
    StartingPosition: mapping.startingPosition,
    BatchSize: mapping.batchSize,
    MaximumBatchingWindowInSeconds: mapping.batchingWindowSeconds,
    ParallelizationFactor: mapping.parallelization,
    BisectBatchOnFunctionError: mapping.bisects,
    MaximumRetryAttempts: Number.isFinite(mapping.maxRetries) ? mapping.maxRetries : -1,
    MaximumRecordAgeInSeconds: mapping.maxAgeSeconds,
    FunctionResponseTypes: mapping.reportsItemFailures ? ['ReportBatchItemFailures'] : [],
    DestinationConfig: { OnFailure: onFailureQueueArn === undefined ? {} : { Destination: onFailureQueueArn } },
    ...(filters.length > 0 && {
      FilterCriteria: { Filters: filters.map((one) => ({ Pattern: JSON.stringify(one) })) },
    }),
  };
}

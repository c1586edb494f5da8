import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../control/json-protocol.ts';
import { authorize } from '../iam/authorize.ts';
import type { Identity } from '../iam/principals.ts';
import { busNameIn, defaultBus } from '../template/event-bus-name.ts';
import type { BusDefinition } from '../template/read-rules.ts';
import type { Event } from './event-deliveries.ts';

// https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html

const maxEntries = 10;
/** Of all entries together. */
const maxRequestBytes = 1024 * 1024;
const timeBytes = 14;

const text = z.string().optional();
const entrySchema = z.object({
  /** Epoch seconds. */
  Time: z.number().optional(),
  Source: text,
  Resources: z.array(z.string()).default([]),
  DetailType: text,
  Detail: text,
  EventBusName: z.string().default(defaultBus),
});
const inputSchema = z.object({ Entries: z.array(entrySchema) });
type Entry = z.infer<typeof entrySchema>;

export type PutEventsOptions = {
  buses: readonly BusDefinition[];
  region: string;
  accountId: string;
  /** Resolves when an event is on the disk for every target. */
  publish: (busName: string, event: Event) => Promise<void>;
  now?: () => number;
};

/** Sends events to buses. An entry that is not valid fails alone. */
export async function putEvents(options: PutEventsOptions, input: object, caller: Identity): Promise<object> {
  const parsed = inputSchema.safeParse(input);
  if (!parsed.success) throw new ServiceError('SerializationException', z.prettifyError(parsed.error));
  const { Entries: entries } = parsed.data;
  if (entries.length === 0 || entries.length > maxEntries) {
    throw invalid(
      `1 validation error detected: Value at 'entries' failed to satisfy constraint: Member must have length from 1 to ${maxEntries}`,
    );
  }
  if (entries.reduce((sum, entry) => sum + sizeOf(entry), 0) > maxRequestBytes) {
    throw invalid('Total size of the entries in the request is over the limit.');
  }
  for (const { EventBusName } of entries) authorize(caller, 'events:PutEvents', arnOf(options, EventBusName));
  const results = await Promise.all(entries.map((entry) => putEvent(options, entry)));
  return { FailedEntryCount: results.filter((result) => 'ErrorCode' in result).length, Entries: results };
}

type Result = { EventId: string } | { ErrorCode: string; ErrorMessage: string };

async function putEvent(options: PutEventsOptions, entry: Entry): Promise<Result> {
  const { publish, region, accountId, now = Date.now } = options;
  const problem = problemOf(options, entry);
  if (problem) return problem;
  const { Time, Source, DetailType, Detail, Resources, EventBusName } = entry;
  const event = {
    version: '0',
    id: randomUUID(),
    'detail-type': DetailType,
    source: Source,
    account: accountId,
    time: `${new Date(Time === undefined ? now() : Time * 1000).toISOString().slice(0, 19)}Z`,
    region,
    resources: Resources,
    detail: JSON.parse(Detail!),
  };
  try {
    await publish(busNameIn(EventBusName), event);
    return { EventId: event.id };
  } catch {
    return { ErrorCode: 'InternalFailure', ErrorMessage: 'The event could not be stored.' };
  }
}

function problemOf({ buses }: PutEventsOptions, entry: Entry): Result | undefined {
  const { Source, DetailType, Detail, EventBusName } = entry;
  for (const [name, value] of Object.entries({ Source, DetailType, Detail })) {
    if (value) continue;
    const ErrorMessage = `Parameter ${name} is not valid. Reason: ${name} is a required argument.`;
    return { ErrorCode: 'InvalidArgument', ErrorMessage };
  }
  if (Source!.startsWith('aws.')) {
    return {
      ErrorCode: 'NotAuthorizedForSourceException',
      ErrorMessage: 'Only services of AWS publish events with this source.',
    };
  }
  const name = busNameIn(EventBusName);
  if (name !== defaultBus && !buses.some((bus) => bus.name === name)) {
    return { ErrorCode: 'InvalidArgument', ErrorMessage: `Event bus ${name} does not exist.` };
  }
  return isObjectText(Detail!) ? undefined : { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
}

const arnOf = ({ buses, region, accountId }: PutEventsOptions, nameOrArn: string): string =>
  buses.find(({ name }) => name === busNameIn(nameOrArn))?.arn ??
  `arn:aws:events:${region}:${accountId}:event-bus/${busNameIn(nameOrArn)}`;

function isObjectText(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html */
function sizeOf({ Time, Source = '', DetailType = '', Detail = '', Resources }: Entry): number {
  const bytes = [Source, DetailType, Detail, ...Resources].reduce((sum, one) => sum + Buffer.byteLength(one), 0);
  return bytes + (Time === undefined ? 0 : timeBytes);
}

const invalid = (message: string): ServiceError => new ServiceError('ValidationException', message);

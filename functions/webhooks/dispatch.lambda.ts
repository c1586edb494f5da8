import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { listDueWebhooks } from '../table/webhooks/delivery-attempts.ts';
import { type Event, findEvents, listUndispatched } from '../table/webhooks/event-table.ts';
import { dispatchEvents } from './events/dispatch-events.ts';
import { startSender } from './start-sender.ts';

/**
 * Passes new events to the webhooks of their owners and to the event bus. It sends no request itself: that could take
 * long, and the stream would wait. Called by the stream of the table, and every minute without records for what the
 * stream has lost and for attempts that are due.
 */
export async function handler(event: Partial<DynamoDBStreamEvent>): Promise<DynamoDBBatchResponse> {
  if (event.Records) return dispatchRecords(event.Records);
  await dispatchEvents(await listUndispatched(lostSeconds, maxLost));
  await startSender(await listDueWebhooks());
  return { batchItemFailures: [] };
}

/** The stream passes an event on within a second. One that it still repeats may be passed on twice. */
const lostSeconds = 30;
const maxLost = 500;

/** The stream repeats the batch from the first event that failed. Those behind it that succeeded are not repeated. */
async function dispatchRecords(records: DynamoDBRecord[]): Promise<DynamoDBBatchResponse> {
  const failed = await dispatchEvents(await findEvents(records.map(keyOf)));
  const first = records.find((record) => failed.some((event) => isOf(event, record)));
  return {
    batchItemFailures: first ? [{ itemIdentifier: first.dynamodb?.SequenceNumber ?? '' }] : [],
  };
}

function keyOf({ dynamodb }: DynamoDBRecord): { pk: string; sk: string } {
  const { pk, sk } = dynamodb?.Keys ?? {};
  return { pk: pk?.S ?? '', sk: sk?.S ?? '' };
}

const isOf = ({ ulid }: Event, record: DynamoDBRecord): boolean => keyOf(record).sk === ulid;

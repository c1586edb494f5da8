import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { readEnvironment } from '../../shared/environment.ts';
import { log } from '../common/log.ts';

const client = new EventBridgeClient({});

/** Limit of one call. Bodies are below 20 kB, so ten of them are below the limit of 256 kB too. */
const maxEntries = 10;

export type BusEvent = {
  id: string;
  type: string;
  at: Date;
  /** JSON */
  detail: string;
};

/** Puts events on the bus of the stage. Returns the ids of those that it did not take. */
export async function putEvents(events: readonly BusEvent[]): Promise<Set<string>> {
  const refused = new Set<string>();
  for (let start = 0; start < events.length; start += maxEntries) {
    const batch = events.slice(start, start + maxEntries);
    for (const id of await putBatch(batch)) refused.add(id);
  }
  return refused;
}

async function putBatch(events: readonly BusEvent[]): Promise<string[]> {
  try {
    const { Entries = [] } = await client.send(
      new PutEventsCommand({
        Entries: events.map(({ type, at, detail }) => ({
          EventBusName: readEnvironment('EVENT_BUS_NAME'),
          Source: 'video-service',
          DetailType: type,
          Time: at,
          Detail: detail,
        })),
      }),
    );
    const failed = events.filter((_, index) => Entries[index]?.ErrorCode !== undefined);
    if (failed.length > 0)
      log.warn('the event bus refused events', { codes: Entries.map(({ ErrorCode }) => ErrorCode) });
    return failed.map(({ id }) => id);
  } catch (error) {
    log.error('events could not be put on the bus', { error: error as Error });
    return events.map(({ id }) => id);
  }
}

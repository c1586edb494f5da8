import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { openReceiver, type ReceivedRequest } from '../../../test/fixtures/servers/open-receiver.ts';
import { type Client, Refused } from '../../../test/journey/support/client.ts';
import type { RestartableService } from '../service/restartable-service.ts';
import { type ListedEvent, type Received, type ShownVideo, userEventsIn } from './event-properties.ts';
import { eventViolations } from './event-violations.ts';

/** A receiver in this process, with a webhook for all events of each user. */
export type EventWatch = {
  addUser(client: Client): Promise<void>;
  /** Answers requests with an error for some time. Resolves with how many were refused. */
  failFor(milliseconds: number): Promise<number>;
  /** Resolves with the type of the next event, before it is answered: its sender waits until `act` has ended. */
  duringNext(act: () => Promise<void>): Promise<string>;
  /** Waits until the deliveries have ended, and checks what was received. Advances the clock when retries need it. */
  check(service: RestartableService, advanceTo: (aheadSeconds: number) => Promise<void>): Promise<EventReport>;
  close(): Promise<void>;
};

export type EventReport = { violations: string[]; summary: string };

type SentEvent = Omit<Received, 'shown' | 'isAccepted'>;
type User = { client: Client; webhook: Webhook };

/** Failed attempts are repeated after five seconds, five and thirty minutes, two and five hours. */
const clockSteps = [0, 400, 3000, 4 * 3600, 11 * 3600];
const longestQuietMs = 20_000;
const longestWaitMs = 120_000;
const lookEveryMs = 2_000;

export async function openEventWatch(): Promise<EventWatch> {
  const users = new Map<string, User>();
  const received: Received[] = [];
  const found: string[] = [];
  let failsUntilMs = 0;
  let refused = 0;
  let next: ((type: string) => Promise<void>) | undefined;

  const receiver = await openReceiver(async (response, request) => {
    const user = users.get(request.path);
    const event = user && verified(user, request);
    if (!event) {
      found.push(`a request to ${request.path} has no valid signature`);
      return void response.writeHead(400).end();
    }
    if (event.type.startsWith('node.')) return void response.writeHead(204).end();
    const shown = await shownVideo(user.client, event).catch((error: Error) => {
      found.push(`the video of ${event.type} could not be read: ${error.message}`);
      return undefined;
    });
    const act = next;
    next = undefined;
    await act?.(event.type);
    const isAccepted = Date.now() >= failsUntilMs;
    received.push({ ...event, shown, isAccepted });
    if (!isAccepted) refused++;
    response.writeHead(isAccepted ? 204 : 500).end();
  });

  async function waitForDeliveries(service: RestartableService): Promise<void> {
    let missing = Number.POSITIVE_INFINITY;
    let changedMs = Date.now();
    for (const endMs = Date.now() + longestWaitMs; Date.now() < endMs; await sleep(lookEveryMs)) {
      // The minute schedule does the same.
      await service.account.invoke('dispatch');
      const left = (await undelivered(service)).length;
      if (left !== missing) changedMs = Date.now();
      missing = left;
      if (left === 0 || Date.now() > changedMs + longestQuietMs) return;
    }
  }

  const acceptedIds = (): Set<string> => new Set(received.filter(({ isAccepted }) => isAccepted).map(({ id }) => id));

  const undelivered = async ({ account }: RestartableService): Promise<string[]> => {
    const ids = acceptedIds();
    const stored = userEventsIn(await account.items('EVENT#')).map(({ ulid }) => ulid);
    return stored.filter((ulid) => !ids.has(ulid));
  };

  return {
    async addUser(client) {
      const path = `/${randomUUID()}`;
      const { secret } = await client.post<{ secret: string }>('/api/webhooks', {
        name: 'all events',
        url: `http://127.0.0.1:${receiver.port}${path}`,
        events: ['*'],
      });
      users.set(path, { client, webhook: new Webhook(secret) });
    },
    async failFor(milliseconds) {
      const before = refused;
      failsUntilMs = Date.now() + milliseconds;
      await sleep(milliseconds);
      return refused - before;
    },
    duringNext(act) {
      return new Promise((resolve, reject) => {
        next = (type) => act().then(() => resolve(type), reject);
      });
    },
    async check(service, advanceTo) {
      for (const aheadSeconds of clockSteps) {
        if (aheadSeconds > 0) await advanceTo(aheadSeconds);
        await waitForDeliveries(service);
        if ((await undelivered(service)).length === 0) break;
      }
      const items = await service.account.items();
      const lists = await Promise.all([...users.values()].map(({ client }) => listEvents(client)));
      const stored = userEventsIn(items).length;
      return {
        violations: [...found, ...eventViolations({ received, listed: lists.flat(), items })],
        summary: `${stored} events stored, ${acceptedIds().size} delivered in ${received.length} requests, of which the receiver refused ${refused}`,
      };
    },
    close: () => receiver.close(),
  };
}

function verified({ webhook }: User, { headers, body }: ReceivedRequest): SentEvent | undefined {
  const id = headers['webhook-id'] ?? '';
  try {
    webhook.verify(body, headers);
  } catch (error) {
    // The clock of the service can be ahead of this process.
    const date = new Date(Number(headers['webhook-timestamp']) * 1000);
    const isSigned = headers['webhook-signature']?.split(' ').includes(webhook.sign(id, date, body));
    if (!isSigned || !/timestamp/i.test((error as Error).message)) return undefined;
  }
  const { type, data } = JSON.parse(body) as Pick<Received, 'type' | 'data'>;
  return { id, type, data };
}

const aboutVideo = /^(video|output|stream)\./;

async function shownVideo(client: Client, { type, data }: SentEvent): Promise<Received['shown']> {
  if (!aboutVideo.test(type)) return undefined;
  try {
    return (await client.getVideo(data.video_ulid ?? data.ulid)) as unknown as ShownVideo;
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return null;
    throw error;
  }
}

async function listEvents(client: Client): Promise<ListedEvent[]> {
  // The newest events are listed after two seconds.
  await sleep(3_000);
  type Page = { data: ListedEvent[]; meta: { next_cursor: string | null } };
  const events: ListedEvent[] = [];
  for (let cursor = '0'.repeat(26); ; ) {
    const { data, meta } = await client.get<Page>(`/api/events?per_page=100&after=${cursor}`);
    events.push(...data.filter(({ type }) => !type.startsWith('node.')));
    if (meta.next_cursor === null || data.length === 0) return events;
    cursor = meta.next_cursor;
  }
}

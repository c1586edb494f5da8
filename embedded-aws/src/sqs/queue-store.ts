import { randomUUID } from 'node:crypto';
import { openJournal } from '../durable/change-journal.ts';
import type { MessageAttributes } from './message-digest.ts';

/** A message as it is stored. Times are epoch milliseconds. */
export type StoredMessage = {
  id: string;
  queue: string;
  body: string;
  attributes: MessageAttributes;
  sentMs: number;
  expiresMs: number;
};

/** A received message. `handle` deletes it. */
export type ReceivedMessage = StoredMessage & { handle: string; receiveCount: number; firstReceivedMs: number };

type Change = { op: 'sent'; message: StoredMessage } | { op: 'deleted'; id: string };
type Receipt = { count: number; firstMs: number; visibleFromMs: number };

/**
 * The messages of all queues, in the order in which they were sent. They survive a restart. Receipts do not: a message
 * that was received but not deleted can be received again at once.
 */
export async function openQueueStore(path: string, nowMs: () => number) {
  const messages = new Map<string, StoredMessage>();
  const receipts = new Map<string, Receipt>();
  const apply = (change: Change): void => {
    if (change.op === 'sent') messages.set(change.message.id, change.message);
    else messages.delete(change.id);
  };
  const journal = await openJournal({
    path,
    replay: (record) => apply(record as Change),
    snapshot: () => [...messages.values()].map((message) => ({ op: 'sent', message })),
  });

  async function remove(id: string): Promise<void> {
    if (!messages.has(id)) return;
    apply({ op: 'deleted', id });
    receipts.delete(id);
    await journal.append({ op: 'deleted', id });
  }

  function kept(queue: string): StoredMessage[] {
    const now = nowMs();
    const ofQueue = [...messages.values()].filter((message) => message.queue === queue);
    for (const { id, expiresMs } of ofQueue) if (expiresMs <= now) remove(id).catch(() => {});
    return ofQueue.filter(({ expiresMs }) => expiresMs > now);
  }

  const isVisible = ({ id }: StoredMessage): boolean => (receipts.get(id)?.visibleFromMs ?? 0) <= nowMs();

  function receipt(message: StoredMessage, visibilitySeconds: number): ReceivedMessage {
    const now = nowMs();
    const { count = 0, firstMs = now } = receipts.get(message.id) ?? {};
    receipts.set(message.id, { count: count + 1, firstMs, visibleFromMs: now + visibilitySeconds * 1000 });
    const handle = Buffer.from(`${message.id} ${randomUUID()}`).toString('base64');
    return { ...message, handle, receiveCount: count + 1, firstReceivedMs: firstMs };
  }

  return {
    /** Resolves to the id of the message when it is on the disk. */
    async send(queue: string, body: string, attributes: MessageAttributes, retentionSeconds: number): Promise<string> {
      const sentMs = nowMs();
      const message = {
        id: randomUUID(),
        queue,
        body,
        attributes,
        sentMs,
        expiresMs: sentMs + retentionSeconds * 1000,
      };
      await journal.append({ op: 'sent', message });
      apply({ op: 'sent', message });
      return message.id;
    },
    /** Up to `count` visible messages, which are then invisible for `visibilitySeconds`. */
    receive: (queue: string, count: number, visibilitySeconds: number): ReceivedMessage[] =>
      kept(queue)
        .filter(isVisible)
        .slice(0, count)
        .map((message) => receipt(message, visibilitySeconds)),
    remove,
    counts(queue: string): { visible: number; invisible: number } {
      const all = kept(queue);
      const visible = all.filter(isVisible).length;
      return { visible, invisible: all.length - visible };
    },
    close: journal.close,
  };
}

export type QueueStore = Awaited<ReturnType<typeof openQueueStore>>;

/** The id of the message that a handle belongs to. Undefined for any other text. */
export function messageIdOf(handle: string): string | undefined {
  return /^([0-9a-f-]{36}) [0-9a-f-]{36}$/.exec(Buffer.from(handle, 'base64').toString())?.[1];
}

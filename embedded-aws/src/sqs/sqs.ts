import { AccessDenied } from '../iam/authorize.ts';
import type { Identity } from '../iam/principals.ts';
import type { QueueDefinition } from '../template/read-queues.ts';
import { type MessageAttributes, messageBytes } from './message-digest.ts';
import { openQueueStore } from './queue-store.ts';

export type SqsOptions = { path: string; queues: readonly QueueDefinition[]; now?: () => number };

/** Who sends a message: a service for a resource, which the policy of the queue has to allow, or a role. */
export type Sender = { service: string; sourceArn: string } | { principal: Identity };

/** The queue does not accept the message: it does not exist, its policy does not allow it, or it is too large. */
export class MessageRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MessageRefused';
  }
}

/** The queues of a stack. */
export async function openSqs({ path, queues, now = Date.now }: SqsOptions) {
  const store = await openQueueStore(path, now);
  const byArn = new Map(queues.map((queue) => [queue.arn, queue]));

  return {
    queues,
    store,
    /**
     * Sends a message for a service of AWS.
     * @throws MessageRefused
     */
    async send(queueArn: string, sender: Sender, body: string, attributes: MessageAttributes = {}): Promise<void> {
      const queue = byArn.get(queueArn);
      if (!queue) throw new MessageRefused(`The queue ${queueArn} does not exist.`);
      requirePermission(queue, sender);
      if (messageBytes(body, attributes) > queue.maxMessageBytes) {
        throw new MessageRefused(`The message is larger than ${queue.maxMessageBytes} bytes.`);
      }
      await store.send(queueArn, body, attributes, queue.retentionSeconds);
    },
    close: store.close,
  };
}

export type Sqs = Awaited<ReturnType<typeof openSqs>>;

const action = 'sqs:SendMessage';

function requirePermission(queue: QueueDefinition, sender: Sender): void {
  if ('service' in sender) {
    if (queue.allows({ ...sender, action })) return;
    throw new MessageRefused(
      `No policy of ${queue.arn} allows ${sender.service} to send messages for ${sender.sourceArn}.`,
    );
  }
  const { principal } = sender;
  const context = { 'aws:securetransport': 'true' };
  if (!principal.policy({ action, resource: queue.arn, context }) || queue.denies(action)) {
    throw new MessageRefused(new AccessDenied(principal, action, queue.arn).message);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { ServiceError } from '../control/json-protocol.ts';
import { AccessDenied, authorize } from '../iam/authorize.ts';
import type { Principal } from '../iam/principals.ts';
import type { QueueDefinition } from '../template/read-queues.ts';
import { attributesDigest, bodyDigest, type MessageAttributes, messageBytes } from './message-digest.ts';
import { messageIdOf, type ReceivedMessage } from './queue-store.ts';
import type { Sqs } from './sqs.ts';

const pollMs = 100;
const maxAttributes = 10;

const attribute = z.object({ DataType: z.string().regex(/^(String|Number)(\..*)?$/), StringValue: z.string() });
const names = z.array(z.string()).default([]);
const inputs = {
  ofQueue: z.object({ QueueUrl: z.string(), AttributeNames: names }),
  send: z.object({ MessageBody: z.string().min(1), MessageAttributes: z.record(z.string(), attribute).default({}) }),
  receive: z.object({
    MaxNumberOfMessages: z.int().min(1).max(10).default(1),
    VisibilityTimeout: z.int().min(0).max(43_200).optional(),
    WaitTimeSeconds: z.int().min(0).max(20).default(0),
    MessageAttributeNames: names,
    AttributeNames: names,
    MessageSystemAttributeNames: names,
  }),
  remove: z.object({ ReceiptHandle: z.string() }),
  byName: z.object({ QueueName: z.string() }),
  list: z.object({ QueueNamePrefix: z.string().default('') }),
};

type Operation = (sqs: Sqs, queue: QueueDefinition, input: object) => Promise<object>;

const operations: Record<string, Operation> = {
  async SendMessage({ store }, { arn, maxMessageBytes, retentionSeconds }, input) {
    const { MessageBody, MessageAttributes } = parse(inputs.send, input);
    if (Object.keys(MessageAttributes).length > maxAttributes) {
      throw invalid(`Number of message attributes must be at most ${maxAttributes}.`);
    }
    if (messageBytes(MessageBody, MessageAttributes) > maxMessageBytes) {
      throw invalid(
        `One or more parameters are invalid. Reason: Message must be shorter than ${maxMessageBytes} bytes.`,
      );
    }
    const MessageId = await store.send(arn, MessageBody, MessageAttributes, retentionSeconds);
    return { MessageId, ...digests(MessageBody, MessageAttributes) };
  },
  async ReceiveMessage({ store }, queue, input) {
    const request = parse(inputs.receive, input);
    const visibilitySeconds = request.VisibilityTimeout ?? queue.visibilitySeconds;
    const receive = () => store.receive(queue.arn, request.MaxNumberOfMessages, visibilitySeconds);
    let received = receive();
    for (let waitedMs = 0; received.length === 0 && waitedMs < request.WaitTimeSeconds * 1000; waitedMs += pollMs) {
      await sleep(pollMs, undefined, { ref: false });
      received = receive();
    }
    return received.length === 0 ? {} : { Messages: received.map((message) => describe(message, request)) };
  },
  async DeleteMessage({ store }, _, input) {
    const id = messageIdOf(parse(inputs.remove, input).ReceiptHandle);
    if (id === undefined)
      throw new ServiceError('com.amazonaws.sqs#ReceiptHandleIsInvalid', 'The receipt handle is not valid.');
    await store.remove(id);
    return {};
  },
  async GetQueueAttributes({ store }, queue, input) {
    const { visible, invisible } = store.counts(queue.arn);
    const all: Record<string, string> = {
      QueueArn: queue.arn,
      ApproximateNumberOfMessages: String(visible),
      ApproximateNumberOfMessagesNotVisible: String(invisible),
      MessageRetentionPeriod: String(queue.retentionSeconds),
      MaximumMessageSize: String(queue.maxMessageBytes),
      VisibilityTimeout: String(queue.visibilitySeconds),
    };
    return { Attributes: selected(all, parse(inputs.ofQueue, input).AttributeNames) };
  },
};

/** Performs an operation for a caller. @throws ServiceError, AccessDenied */
export async function performSqs(sqs: Sqs, name: string, input: object, caller: Principal): Promise<object> {
  if (name === 'ListQueues') return listQueues(sqs, input, caller);
  if (name === 'GetQueueUrl') return getQueueUrl(sqs, input, caller);
  const operation = Object.hasOwn(operations, name) && operations[name];
  if (!operation) throw new ServiceError('UnknownOperationException', `${name} is not supported.`);
  const { QueueUrl } = parse(inputs.ofQueue, input);
  const queue = sqs.queues.find(({ url }) => url === QueueUrl);
  if (!queue) throw missingQueue();
  requireAccess(caller, `sqs:${name}`, queue);
  return operation(sqs, queue, input);
}

function listQueues({ queues }: Sqs, input: object, caller: Principal): object {
  const { QueueNamePrefix } = parse(inputs.list, input);
  authorize(caller, 'sqs:ListQueues', '*');
  return { QueueUrls: queues.filter(({ name }) => name.startsWith(QueueNamePrefix)).map(({ url }) => url) };
}

function getQueueUrl({ queues }: Sqs, input: object, caller: Principal): object {
  const { QueueName } = parse(inputs.byName, input);
  const queue = queues.find(({ name }) => name === QueueName);
  if (!queue) throw missingQueue();
  requireAccess(caller, 'sqs:GetQueueUrl', queue);
  return { QueueUrl: queue.url };
}

function requireAccess(caller: Principal, action: string, queue: QueueDefinition): void {
  authorize(caller, action, queue.arn, { 'aws:securetransport': 'true' });
  if (queue.denies(action)) throw new AccessDenied(caller, action, queue.arn);
}

function describe(message: ReceivedMessage, request: z.output<typeof inputs.receive>): object {
  const attributes = selected(message.attributes, request.MessageAttributeNames);
  const system = selected(
    {
      SentTimestamp: String(message.sentMs),
      ApproximateReceiveCount: String(message.receiveCount),
      ApproximateFirstReceiveTimestamp: String(message.firstReceivedMs),
    },
    [...request.AttributeNames, ...request.MessageSystemAttributeNames],
  );
  return {
    MessageId: message.id,
    ReceiptHandle: message.handle,
    Body: message.body,
    MD5OfBody: bodyDigest(message.body),
    ...(Object.keys(system).length > 0 && { Attributes: system }),
    ...(Object.keys(attributes).length > 0 && {
      MessageAttributes: attributes,
      MD5OfMessageAttributes: attributesDigest(attributes),
    }),
  };
}

const digests = (body: string, attributes: MessageAttributes): object => ({
  MD5OfMessageBody: bodyDigest(body),
  ...(Object.keys(attributes).length > 0 && { MD5OfMessageAttributes: attributesDigest(attributes) }),
});

function selected<Value>(all: Record<string, Value>, wanted: readonly string[]): Record<string, Value> {
  const isWanted = (name: string) => wanted.some((one) => one === 'All' || one === '.*' || one === name);
  return Object.fromEntries(Object.entries(all).filter(([name]) => isWanted(name)));
}

function parse<Schema extends z.ZodType>(schema: Schema, input: object): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw invalid(`Invalid value: ${parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)}`);
}

const invalid = (message: string): ServiceError => new ServiceError('com.amazonaws.sqs#InvalidParameterValue', message);

const missingQueue = (): ServiceError =>
  new ServiceError('com.amazonaws.sqs#QueueDoesNotExist', 'The specified queue does not exist.');

import { createHash } from 'node:crypto';

/** An attribute of a message. Only texts and numbers are supported. */
export type MessageAttribute = { DataType: string; StringValue: string };
export type MessageAttributes = Record<string, MessageAttribute>;

const stringTransport = 1;

/** The checksums of a message, which clients compare with their own. */
export const bodyDigest = (body: string): string => createHash('md5').update(body).digest('hex');

/**
 * The checksum of the attributes: name, type and value of each, sorted by name, each with its length.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html
 */
export function attributesDigest(attributes: MessageAttributes): string {
  const hash = createHash('md5');
  const add = (text: string): void => {
    const bytes = Buffer.from(text);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  };
  for (const name of Object.keys(attributes).sort()) {
    const { DataType, StringValue } = attributes[name]!;
    add(name);
    add(DataType);
    hash.update(Buffer.from([stringTransport]));
    add(StringValue);
  }
  return hash.digest('hex');
}

/** The size that the limit of a queue applies to: body, and names, types and values of the attributes. */
export const messageBytes = (body: string, attributes: MessageAttributes): number =>
  Object.entries(attributes).reduce(
    (bytes, [name, { DataType, StringValue }]) => bytes + Buffer.byteLength(name + DataType + StringValue),
    Buffer.byteLength(body),
  );

import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ServiceError } from '../control/json-protocol.ts';
import { writeElements, type XmlContent } from '../http/xml.ts';

const namespace = 'http://queue.amazonaws.com/doc/2012-11-05/';
const numbers = new Set(['MaxNumberOfMessages', 'VisibilityTimeout', 'WaitTimeSeconds']);
const lists = ['AttributeName', 'MessageAttributeName', 'MessageSystemAttributeName'] as const;

/** The error codes of the query protocol that differ from those of the JSON protocol. */
const queryCodes: Record<string, string> = {
  QueueDoesNotExist: 'AWS.SimpleQueueService.NonExistentQueue',
  UnknownOperationException: 'InvalidAction',
};

/** Converts a form to the input of the JSON protocol. */
export function queryInput(query: URLSearchParams): object {
  const input: Record<string, unknown> = {};
  for (const [name, value] of query) {
    if (!name.includes('.')) input[name] = numbers.has(name) ? Number(value) : value;
  }
  for (const name of lists) input[`${name}s`] = listed(query, name);
  const attributes: [string, object][] = [];
  for (let index = 1; query.has(`MessageAttribute.${index}.Name`); index += 1) {
    const prefix = `MessageAttribute.${index}`;
    const DataType = query.get(`${prefix}.Value.DataType`) ?? '';
    const StringValue = query.get(`${prefix}.Value.StringValue`) ?? '';
    attributes.push([query.get(`${prefix}.Name`)!, { DataType, StringValue }]);
  }
  return { ...input, MessageAttributes: Object.fromEntries(attributes) };
}

function listed(query: URLSearchParams, name: string): string[] {
  const values: string[] = [];
  for (let index = 1; query.has(`${name}.${index}`); index += 1) values.push(query.get(`${name}.${index}`)!);
  return values;
}

/** The names of lists and maps in XML, where each element is repeated. */
const elementNames: Record<string, string> = {
  Messages: 'Message',
  QueueUrls: 'QueueUrl',
  Attributes: 'Attribute',
  MessageAttributes: 'MessageAttribute',
};

export function writeQueryResult(response: ServerResponse, action: string, output: object): void {
  // Only operations that return nothing have no result element. Without messages it is there and empty.
  const result = action === 'DeleteMessage' ? {} : { [`${action}Result`]: xmlOf(output) };
  write(response, 200, `${action}Response`, { ...result, ResponseMetadata: { RequestId: randomUUID() } });
}

export function writeQueryError(response: ServerResponse, { name, message }: ServiceError): void {
  const Code = queryCodes[name] ?? name;
  write(response, 400, 'ErrorResponse', { Error: { Type: 'Sender', Code, Message: message }, RequestId: randomUUID() });
}

function xmlOf(output: object): { [name: string]: XmlContent } {
  return Object.fromEntries(
    Object.entries(output).map(([name, value]) => [elementNames[name] ?? name, contentOf(value)]),
  );
}

function contentOf(value: unknown): XmlContent {
  if (Array.isArray(value)) return value.map((item) => (typeof item === 'object' ? xmlOf(item) : item));
  if (typeof value !== 'object' || value === null) return value as XmlContent;
  // A map is a list of names and values.
  return Object.entries(value).map(([Name, Value]) => ({ Name, Value: Value as XmlContent }));
}

function write(response: ServerResponse, status: number, root: string, content: { [name: string]: XmlContent }): void {
  response
    .writeHead(status, { 'content-type': 'text/xml' })
    .end(`<${root} xmlns="${namespace}">${writeElements(content)}</${root}>`);
}

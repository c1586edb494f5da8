import { readPayload, readWhole } from '../bodies/request-payload.ts';
import { S3Error } from '../protocol/s3-errors.ts';
import { asElement, elements, parseXml, text } from '../protocol/s3-xml.ts';
import { type Operation, respond } from '../requests/exchange.ts';
import { requireObject } from '../requests/requested-object.ts';
import type { Tags } from '../storage/bucket-state.ts';

const maxTags = 10;
const maxBodyBytes = 64 * 1024;
/** The characters of tags in all services of AWS. */
const allowed = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

function checkedTags(pairs: [name: string, value: string][]): Tags {
  if (pairs.length > maxTags) throw new S3Error('BadRequest', 'Object tags cannot be greater than 10');
  const tags: Tags = Object.create(null);
  for (const [name, value] of pairs) {
    if (name === '' || name.length > 128 || !allowed.test(name)) {
      throw new S3Error('InvalidTag', 'The TagKey you have provided is invalid');
    }
    if (value.length > 256 || !allowed.test(value)) {
      throw new S3Error('InvalidTag', 'The TagValue you have provided is invalid');
    }
    if (name in tags) throw new S3Error('InvalidTag', 'Cannot provide multiple Tags with the same key');
    tags[name] = value;
  }
  return tags;
}

/** Parses the tags of an x-amz-tagging header, which is a query string. @throws InvalidTag, InvalidArgument */
export function parseTagHeader(value: string | undefined): Tags | undefined {
  if (value === undefined) return undefined;
  const pairs = [...new URLSearchParams(value)];
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) {
    throw new S3Error('InvalidArgument', 'The header x-amz-tagging has a tag name twice.');
  }
  return checkedTags(pairs);
}

/** Parses the tags of a Tagging document. @throws MalformedXML, InvalidTag */
export function parseTagging(body: Buffer): Tags {
  const set = asElement(parseXml(body, 'Tagging').TagSet || {});
  return checkedTags(
    elements(set, 'Tag').map((tag) => {
      const [name, value] = [text(tag, 'Key'), text(tag, 'Value')];
      if (name === undefined || value === undefined) throw new S3Error('MalformedXML');
      return [name, value];
    }),
  );
}

export const putObjectTagging: Operation = async (exchange) => {
  const { store, target } = exchange;
  const tags = parseTagging(await readWhole(readPayload(exchange), maxBodyBytes));
  requireObject(exchange);
  await store.commit({ type: 'tag', bucket: target.bucket, key: target.key, tags });
  respond(exchange, 200);
};

export const getObjectTagging: Operation = async (exchange) => {
  const tags = Object.entries(requireObject(exchange).tags ?? {});
  respond(exchange, 200, {
    root: 'Tagging',
    content: { TagSet: { Tag: tags.map(([name, value]) => ({ Key: name, Value: value })) } },
  });
};

export const deleteObjectTagging: Operation = async (exchange) => {
  requireObject(exchange);
  await exchange.store.commit({ type: 'tag', bucket: exchange.target.bucket, key: exchange.target.key, tags: {} });
  respond(exchange, 204);
};

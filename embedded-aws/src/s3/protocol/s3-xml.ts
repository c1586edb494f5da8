import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { escapeXml, writeElements, type XmlContent } from '../../http/xml.ts';
import { S3Error } from './s3-errors.ts';

const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';

/** Writes a response document of S3. Error documents have no namespace. */
export function writeXml(root: string, content: { [name: string]: XmlContent } | string): string {
  const open = root === 'Error' ? `<${root}>` : `<${root} xmlns="${namespace}">`;
  const inside = typeof content === 'string' ? escapeXml(content) : writeElements(content);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${open}${inside}</${root}>`;
}

const repeatedElements = new Set(['Object', 'Part', 'Tag']);
const parser = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  removeNSPrefix: true,
  htmlEntities: true, // needed for numeric references
  processEntities: { enabled: true, maxExpandedLength: Number.MAX_SAFE_INTEGER },
  isArray: (name) => repeatedElements.has(name),
});

/**
 * Parses a request document whose root element must be `root`, and returns the children of the root.
 * @throws MalformedXML, also for any document type declaration
 */
export function parseXml(body: Buffer, root: string): Record<string, unknown> {
  const text = body.toString('utf8');
  if (/<!DOCTYPE|<!ENTITY/i.test(text) || XMLValidator.validate(text) !== true) throw new S3Error('MalformedXML');
  const document: unknown = parser.parse(text)[root];
  if (document === '') return {};
  return asElement(document);
}

/** @throws MalformedXML unless `value` is an element with children */
export function asElement(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new S3Error('MalformedXML');
  return value as Record<string, unknown>;
}

/** The child elements with this name. @throws MalformedXML if one of them contains only text */
export function elements(parent: Record<string, unknown>, name: string): Record<string, unknown>[] {
  const found = parent[name];
  return Array.isArray(found) ? found.map(asElement) : [];
}

/** The text of a child, or undefined without such a child. @throws MalformedXML if it has children or is repeated */
export function text(parent: Record<string, unknown>, name: string): string | undefined {
  const found = parent[name];
  if (found === undefined || typeof found === 'string') return found;
  throw new S3Error('MalformedXML');
}

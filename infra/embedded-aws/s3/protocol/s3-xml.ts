import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { S3Error } from './s3-errors.ts';

/** What an element holds: text, children by name (an array repeats the element), or nothing (the element is left out). */
export type XmlContent = string | number | boolean | undefined | XmlContent[] | { [name: string]: XmlContent };

const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';

// Characters below U+0020 are not XML 1.0 even as references, but S3 writes them so for keys that hold them.
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are the characters to escape
const unsafe = /[&<>"'\u0000-\u001f\u007f\ufffe\uffff]/g;
const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

function escapeText(text: string): string {
  return text.replace(unsafe, (c) => named[c] ?? `&#x${c.charCodeAt(0).toString(16).toUpperCase()};`);
}

function element(name: string, content: XmlContent): string {
  if (content === undefined) return '';
  if (Array.isArray(content)) return content.map((item) => element(name, item)).join('');
  if (typeof content !== 'object') return `<${name}>${escapeText(String(content))}</${name}>`;
  return `<${name}>${children(content)}</${name}>`;
}

/** Elements one after the other, without a root. */
export function children(content: { [name: string]: XmlContent }): string {
  return Object.entries(content)
    .map(([name, value]) => element(name, value))
    .join('');
}

/** An S3 answer document. Error documents carry no namespace. */
export function writeXml(root: string, content: { [name: string]: XmlContent } | string): string {
  const open = root === 'Error' ? `<${root}>` : `<${root} xmlns="${namespace}">`;
  const inside = typeof content === 'string' ? escapeText(content) : children(content);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${open}${inside}</${root}>`;
}

const repeated = new Set(['Object', 'Part', 'Tag']);
const parser = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  removeNSPrefix: true,
  htmlEntities: true, // numeric references come with these
  processEntities: { enabled: true, maxExpandedLength: Number.MAX_SAFE_INTEGER },
  isArray: (name) => repeated.has(name),
});

/** The children of the root element, which must be `root`. @throws MalformedXML; a document type is refused unread. */
export function parseXml(body: Buffer, root: string): Record<string, unknown> {
  const text = body.toString('utf8');
  if (/<!DOCTYPE|<!ENTITY/i.test(text) || XMLValidator.validate(text) !== true) throw new S3Error('MalformedXML');
  const document: unknown = parser.parse(text)[root];
  if (document === '') return {};
  return asElement(document);
}

/** @throws MalformedXML unless `value` is an element with children. */
export function asElement(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new S3Error('MalformedXML');
  return value as Record<string, unknown>;
}

/** The children named so, as elements. @throws MalformedXML if one holds bare text. */
export function elements(parent: Record<string, unknown>, name: string): Record<string, unknown>[] {
  const found = parent[name];
  return Array.isArray(found) ? found.map(asElement) : [];
}

/** The text of a child, or undefined when there is none. @throws MalformedXML if it has children or comes twice. */
export function text(parent: Record<string, unknown>, name: string): string | undefined {
  const found = parent[name];
  if (found === undefined || typeof found === 'string') return found;
  throw new S3Error('MalformedXML');
}

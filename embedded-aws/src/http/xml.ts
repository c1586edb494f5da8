/** Content of an XML element: text, child elements by name (an array repeats one), or undefined to leave it out. */
export type XmlContent = string | number | boolean | undefined | XmlContent[] | { [name: string]: XmlContent };

// XML 1.0 has no characters below U+0020, not even as references, but S3 writes them for keys that contain them.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to escape
const escapedCharacters = /[&<>"'\u0000-\u001f\u007f\ufffe\uffff]/g;
const namedReferences: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

export const escapeXml = (text: string): string =>
  text.replace(escapedCharacters, (c) => namedReferences[c] ?? `&#x${c.charCodeAt(0).toString(16).toUpperCase()};`);

/** Writes elements one after the other, without a root element. */
export const writeElements = (content: { [name: string]: XmlContent }): string =>
  Object.entries(content)
    .map(([name, value]) => writeElement(name, value))
    .join('');

function writeElement(name: string, content: XmlContent): string {
  if (content === undefined) return '';
  if (Array.isArray(content)) return content.map((item) => writeElement(name, item)).join('');
  if (typeof content !== 'object') return `<${name}>${escapeXml(String(content))}</${name}>`;
  return `<${name}>${writeElements(content)}</${name}>`;
}

import { escapeText } from './escape-text.ts';

/**
 * The fields before the text of an event, as Matroska stores it: ReadOrder, Layer, Style, Name, MarginL, MarginR,
 * MarginV, Effect.
 */
const fieldsBeforeText = 8;

const styles = ['b', 'i', 'u'] as const;
type Style = (typeof styles)[number];

/** `\b1`, `\b700`, `\i0`, `\u`, `\p2`, `\r`; the names are followed by a number or by the next override. */
const override = /\\(b|i|u|p|r)(\d*)(?=\\|$|[^a-z\d])/gi;

/**
 * The text of an event of SubStation Alpha as WebVTT with the tags `b`, `i` and `u`. Drawings and all other overrides
 * are left out.
 * @throws RangeError when the event is damaged
 */
export function assText(event: string): string {
  const text = textField(event);
  const parts: string[] = [];
  let open: Style[] = [];
  let isDrawing = false;
  for (const { block, plain } of blocksOf(text)) {
    if (block !== undefined) {
      const change = readOverrides(block, open, isDrawing);
      isDrawing = change.isDrawing;
      parts.push(switchTags(open, change.open));
      open = change.open;
    } else if (!isDrawing) parts.push(plainText(plain));
  }
  return parts.join('') + switchTags(open, []);
}

function textField(event: string): string {
  let at = 0;
  for (let field = 0; field < fieldsBeforeText; field++) {
    const comma = event.indexOf(',', at);
    if (comma === -1) throw new RangeError('the event has too few fields');
    at = comma + 1;
  }
  return event.slice(at);
}

/** The override blocks `{…}` of a text, and the plain text between them. */
function* blocksOf(text: string): Generator<{ block?: string; plain: string }> {
  let at = 0;
  while (at < text.length) {
    const start = text.indexOf('{', at);
    const end = start === -1 ? -1 : text.indexOf('}', start);
    if (end === -1) return void (yield { plain: text.slice(at) });
    if (start > at) yield { plain: text.slice(at, start) };
    yield { block: text.slice(start + 1, end), plain: '' };
    at = end + 1;
  }
}

function readOverrides(block: string, before: Style[], wasDrawing: boolean): { open: Style[]; isDrawing: boolean } {
  let open = before;
  let isDrawing = wasDrawing;
  for (const [, name = '', value = ''] of block.matchAll(override)) {
    const style = styles.find((one) => one === name);
    // Reset to the style of the line
    if (name === 'r') open = [];
    else if (name === 'p') isDrawing = Number(value) > 0;
    else if (style) open = [...open.filter((one) => one !== style), ...(Number(value) > 0 ? [style] : [])];
  }
  return { open, isDrawing };
}

/** Closes the open tags from the first one on that is not open any more, and opens the others. */
function switchTags(before: Style[], after: Style[]): string {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same++;
  const closed = before.slice(same).reverse();
  return [...closed.map((style) => `</${style}>`), ...after.slice(same).map((style) => `<${style}>`)].join('');
}

const plainText = (text: string): string => escapeText(text.replace(/\\[Nn]/g, '\n').replace(/\\h/g, '\u00a0'));

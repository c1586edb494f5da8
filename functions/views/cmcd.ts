/**
 * What a player says about its playback with a request: Common Media Client Data, CTA-5004 (version 1) and CTA-5004-B
 * (version 2), in the form of the query argument. It comes from anybody, so that nothing but the fields below is read,
 * each within bounds. A value that is none of its key is left out.
 */
export type Cmcd = {
  version: 1 | 2;
  /** of one playback, chosen by the player */
  sessionId?: string | undefined;
  /** `v`, `a` and `av` are media; others are manifests, captions and the like */
  objectType?: string | undefined;
  /** of the requested object */
  durationMilliseconds?: number | undefined;
  bitrateKbps?: number | undefined;
  /** the buffer was empty in the middle of the playback since the last request */
  isStarved?: boolean | undefined;
  /** the object is needed at once: at the start, after a seek, after an empty buffer */
  isUrgent?: boolean | undefined;
  /** what the buffer held when the object was requested */
  bufferMilliseconds?: number | undefined;
  playbackRate?: number | undefined;
  /** version 2: from the wish to play to the first picture */
  startupMilliseconds?: number | undefined;
  /** version 2: waiting that has ended since the last report */
  stalledMilliseconds?: number | undefined;
  /** version 2: all waiting since the start */
  totalStalledMilliseconds?: number | undefined;
  /** version 2: errors since the last request */
  errors?: number | undefined;
  /** version 2: the playback has ended by an error */
  hasFailed?: boolean | undefined;
};

const maxCharacters = 2000;
const maxKeys = 64;
const maxListItems = 10;
/** CTA-5004: a session ID has at most 64 characters. */
const maxSessionIdCharacters = 64;
const hourMilliseconds = 3_600_000;
const maxStartupMilliseconds = 600_000;
const maxKbps = 1_000_000;
const maxPlaybackRate = 100;

/** A value as it is written: a flag without one, a text in quotes, or the items of a list with their parameters. */
type Item = { text: string; isQuoted: boolean; parameters: string };
type Value = true | Item[];

/** @param raw the percent-encoded value of the query argument `CMCD` */
export function readCmcd(raw: string): Cmcd | undefined {
  if (raw.length > maxCharacters) return undefined;
  const values = readValues(decoded(raw));
  if (values.size === 0) return undefined;
  const objectType = token(values.get('ot'), /^(m|a|v|av|i|c|tt|k|o)$/);
  const number = (key: string, largest: number): number | undefined => largestOf(values.get(key), largest);
  return {
    version: token(values.get('v'), /^2$/) === undefined ? 1 : 2,
    sessionId: sessionIdOf(values.get('sid')),
    objectType,
    durationMilliseconds: number('d', hourMilliseconds),
    bitrateKbps: bitrateOf(values.get('br'), objectType),
    isStarved: values.get('bs') === true || undefined,
    isUrgent: values.get('su') === true || undefined,
    bufferMilliseconds: number('bl', hourMilliseconds),
    playbackRate: number('pr', maxPlaybackRate),
    startupMilliseconds: number('msd', maxStartupMilliseconds),
    stalledMilliseconds: sumOf(values.get('bsd'), hourMilliseconds),
    totalStalledMilliseconds: sumOf(values.get('bsda'), hourMilliseconds),
    errors: errorsOf(values.get('ec')),
    hasFailed: token(values.get('sta'), /^f$/) !== undefined || undefined,
  };
}

function decoded(raw: string): string {
  try {
    // Players write the spaces of lists in both ways that a query has for them.
    return decodeURIComponent(raw.replaceAll('+', ' '));
  } catch {
    return '';
  }
}

const keyStart = /[a-z][a-z0-9_*.-]{0,63}/y;

/** The values by key. What follows the first error of the form is left out. */
function readValues(text: string): Map<string, Value> {
  const values = new Map<string, Value>();
  let at = 0;
  while (at < text.length && values.size < maxKeys) {
    keyStart.lastIndex = at;
    const [key] = keyStart.exec(text) ?? [];
    if (key === undefined) break;
    at += key.length;
    if (text[at] === '=') {
      const read = readValue(text, at + 1);
      if (!read) break;
      values.set(key, read.value);
      at = read.end;
    } else {
      values.set(key, true);
    }
    if (text[at] !== ',') break;
    at += 1;
    while (text[at] === ' ') at += 1;
  }
  return values;
}

type Read<Found> = { value: Found; end: number } | undefined;

function readValue(text: string, from: number): Read<Value> {
  if (text.startsWith('?1', from)) return { value: true, end: from + 2 };
  if (text[from] !== '(') {
    const item = readItem(text, from);
    return item && { value: [item.value], end: item.end };
  }
  const items: Item[] = [];
  let at = from + 1;
  while (at < text.length) {
    while (text[at] === ' ') at += 1;
    if (text[at] === ')') return { value: items.slice(0, maxListItems), end: at + 1 };
    const item = readItem(text, at);
    if (!item) return undefined;
    items.push(item.value);
    at = item.end;
  }
  return undefined;
}

const bareItem = /[A-Za-z0-9*][A-Za-z0-9._:/*+-]*|-[0-9][0-9.]*/y;
const quotedItem = /"((?:[^"\\]|\\["\\])*)"/y;
const itemParameters = /(?:;[a-z0-9_*.-]+(?:=[A-Za-z0-9._*?-]+)?)*/y;

function readItem(text: string, from: number): Read<Item> {
  const pattern = text[from] === '"' ? quotedItem : bareItem;
  pattern.lastIndex = from;
  const [whole, quoted] = pattern.exec(text) ?? [];
  if (whole === undefined) return undefined;
  itemParameters.lastIndex = from + whole.length;
  const [parameters = ''] = itemParameters.exec(text) ?? [];
  return {
    value: { text: quoted?.replaceAll(/\\(.)/g, '$1') ?? whole, isQuoted: quoted !== undefined, parameters },
    end: from + whole.length + parameters.length,
  };
}

function token(value: Value | undefined, allowed: RegExp): string | undefined {
  if (value === undefined || value === true) return undefined;
  const [item] = value;
  return item && !item.isQuoted && allowed.test(item.text) ? item.text : undefined;
}

/** Letters, digits and what IDs are divided by: other texts are as good as none. */
function sessionIdOf(value: Value | undefined): string | undefined {
  if (value === undefined || value === true) return undefined;
  const text = value[0]?.text ?? '';
  return text.length <= maxSessionIdCharacters && /^[\w.:~+/=-]+$/.test(text) ? text : undefined;
}

const numberForm = /^[0-9]{1,12}(\.[0-9]{1,6})?$/;

const numbersIn = (items: readonly Item[], largest: number): number[] =>
  items.flatMap(({ text, isQuoted }) =>
    !isQuoted && numberForm.test(text) && Number(text) <= largest ? [Number(text)] : [],
  );

/** Waiting is a list of periods, or of causes. A period that is out of bounds does not count. */
function sumOf(value: Value | undefined, largest: number): number | undefined {
  if (value === undefined || value === true) return undefined;
  const numbers = numbersIn(value, largest);
  if (numbers.length === 0) return undefined;
  return Math.min(
    largest,
    numbers.reduce((sum, number) => sum + number),
  );
}

/** Version 2 has lists, with a value for each type of object. */
function largestOf(value: Value | undefined, largest: number): number | undefined {
  if (value === undefined || value === true) return undefined;
  const numbers = numbersIn(value, largest);
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}

/** The bitrate of the picture, of an object that has one. */
function bitrateOf(value: Value | undefined, objectType: string | undefined): number | undefined {
  if (value === undefined || value === true) return undefined;
  const named = value.filter(({ parameters }) => parameters.split(';').includes(objectType ?? 'v'));
  return largestOf(named.length > 0 ? named : value, maxKbps);
}

/** How many codes there are. The codes themselves are the player's own. */
const errorsOf = (value: Value | undefined): number | undefined =>
  value === undefined || value === true || value.length === 0 ? undefined : value.length;

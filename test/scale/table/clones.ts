import type { Item } from 'dynalite/db/index.js';
import { encodeTime } from 'ulid';
import { tableIndexes } from '../../../shared/table-indexes.ts';

/** A record that the service has stored, as the pattern of others. */
export type Prototype = { items: readonly Item[] };

const ulidPattern = /[0-7][0-9A-HJKMNP-TV-Z]{25}/g;
const indexKeys = Object.values(tableIndexes).map(({ partitionKey }) => partitionKey);

/**
 * The items of a record that other requests can meet: those in an index, and those in partitions that records share.
 * Requests find the other items by their keys only, so that their number changes no request.
 */
export function metItems(items: readonly Item[]): Item[] {
  return items.filter((item) => {
    const ofPartition = ulidsIn(item.pk);
    const isBesideOthers = ulidsIn(item.sk).some((ulid) => !ofPartition.includes(ulid));
    return isBesideOthers || indexKeys.some((name) => item[name] !== undefined);
  });
}

const ulidsIn = (value: Item[string] | undefined): string[] => String(value?.S).match(ulidPattern) ?? [];

/** Copies of records: each copy has its own ULIDs and integer id, except for the ULIDs in `kept`. */
export function* cloneRecords(
  prototypes: readonly Prototype[],
  count: number,
  kept: (copy: number) => readonly string[] = () => [],
): Generator<Item> {
  const patterns = prototypes.map(({ items }) => patternOf(items));
  for (let copy = 0; copy < count; copy++) {
    const pattern = patterns[copy % patterns.length]!;
    yield* JSON.parse(copyText(pattern, copy, new Set(kept(copy)))) as Item[];
  }
}

/** The text of the items, split at what differs between copies. */
type Pattern = { texts: string[]; variables: string[] };

const firstId = 10_000_000;
const idPattern = /"id":\{"N":"\d+"\}|"0\d{15}"/;

function patternOf(items: readonly Item[]): Pattern {
  const text = JSON.stringify(items);
  const pattern = new RegExp(`${idPattern.source}|${ulidPattern.source}`, 'g');
  return { texts: text.split(pattern), variables: text.match(pattern) ?? [] };
}

/** Older than all records that are stored later. */
const eldestMilliseconds = Date.UTC(2026, 0, 1);

function copyText({ texts, variables }: Pattern, copy: number, kept: ReadonlySet<string>): string {
  const ulids = new Map<string, string>();
  const ulidOf = (old: string): string => {
    const known = ulids.get(old) ?? encodeTime(eldestMilliseconds + copy * 1000) + nextPart();
    ulids.set(old, known);
    return known;
  };
  const id = String(firstId + copy);
  return texts.reduce((text, next, position) => {
    const variable = variables[position - 1]!;
    if (variable.startsWith('"id"')) return `${text}"id":{"N":"${id}"}${next}`;
    if (variable.startsWith('"')) return `${text}"${id.padStart(16, '0')}"${next}`;
    return `${text}${kept.has(variable) ? variable : ulidOf(variable)}${next}`;
  });
}

let lastPart = 0;

/** The part of a ULID behind its time. It is only unique, since random bytes would take a tenth of the time. */
const nextPart = (): string => (++lastPart).toString(16).toUpperCase().padStart(16, '0');

import type { Item } from 'embedded-aws/testing';
import { tableIndexes } from '../../../shared/table-indexes.ts';

/** A record that the service has stored, as the pattern of others. */
export type Prototype = { items: readonly Item[] };

const ulidPattern = /[0-7][0-9A-HJKMNP-TV-Z]{25}/g;
const indexKeys = Object.values(tableIndexes).map(({ partitionKey }) => partitionKey);

/**
 * The items of a record that other requests can meet: those in an index, those in partitions that records share, and
 * the words of a video that a search reads for each one it looks at. Requests find the other items by their keys only,
 * so that their number changes no request.
 */
export function metItems(items: readonly Item[]): Item[] {
  return items.filter((item) => {
    const ofPartition = ulidsIn(item.pk);
    const isBesideOthers = ulidsIn(item.sk).some((ulid) => !ofPartition.includes(ulid));
    // An item whose key has no ULID, such as that of a token, would be the same item in all copies.
    if (ofPartition.length === 0 && !isBesideOthers) return false;
    return isBesideOthers || item.kind?.S === 'transcript-words' || indexKeys.some((name) => item[name] !== undefined);
  });
}

const ulidsIn = (value: Item[string] | undefined): string[] => String(value?.S).match(ulidPattern) ?? [];

/** A text of a record, split at what differs between its copies: ULIDs and the integer id. */
export type Pattern = { texts: string[]; variables: Variable[] };
type Variable = { text: string } & ({ kind: 'id'; width: number } | { kind: 'ulid'; number: number });

/** Copies of records of one kind: each copy has its own ULIDs and integer id, the same in all its texts. */
export type Copies = {
  /** one hexadecimal digit, different for each kind: its copies have other ULIDs */
  kind: string;
  count: number;
  /** ULIDs that a copy has in common with its prototype */
  kept: (copy: number) => readonly string[];
};

const firstId = 10_000_000;
/** An id as text that sorts by value. */
const paddedId = /\b0\d{15}\b/;
const plainId = /(?<="id":\{"N":")\d+(?="\})/;
const variablePattern = new RegExp(`${plainId.source}|${paddedId.source}|${ulidPattern.source}`, 'g');

/**
 * @param ulids all ULIDs of the record that were found before, to which further ones are added: the same ULID in
 * another text of the record gets the same number
 */
export function patternOf(text: string, ulids: string[]): Pattern {
  const variables = (text.match(variablePattern) ?? []).map((found): Variable => {
    if (found.length !== 26) return { kind: 'id', text: found, width: found.length === 16 ? 16 : 0 };
    if (!ulids.includes(found)) ulids.push(found);
    return { kind: 'ulid', text: found, number: ulids.indexOf(found) };
  });
  return { texts: text.split(variablePattern), variables };
}

/** The text of a copy. */
export function copyText({ texts, variables }: Pattern, { kind, kept }: Copies, copy: number): string {
  let text = texts[0]!;
  const same = variables.length > 0 ? kept(copy) : [];
  for (let at = 0; at < variables.length; at++) {
    const variable = variables[at]!;
    if (variable.kind === 'id') text += String(firstId + copy).padStart(variable.width, '0');
    else if (same.includes(variable.text)) text += variable.text;
    else text += ulidOf(kind, variable.number, copy);
    text += texts[at + 1]!;
  }
  return text;
}

/** Older than all records that are stored later. */
const eldestMilliseconds = Date.UTC(2026, 0, 1);
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The part of a ULID behind its time is only unique. */
function ulidOf(kind: string, number: number, copy: number): string {
  if (copy !== last.copy)
    last = { copy, time: timeOf(copy), unique: copy.toString(16).toUpperCase().padStart(12, '0') };
  return `${last.time}${kind}${String(number).padStart(3, '0')}${last.unique}`;
}

/** Texts of a copy are made one after the other. */
let last = { copy: -1, time: '', unique: '' };

function timeOf(copy: number): string {
  let time = '';
  let left = eldestMilliseconds + copy * 1000;
  for (let at = 0; at < 10; at++) {
    time = digits[left % 32]! + time;
    left = Math.floor(left / 32);
  }
  return time;
}

import type { AttributeValue, Item } from '../dynalite/dynalite.ts';

// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html

const collectionBytes = 3;

/** The size of an item: of the UTF-8 bytes of its attribute names and of its values. */
export function itemSize(item: Item): number {
  let bytes = 0;
  for (const name of Object.keys(item)) bytes += Buffer.byteLength(name) + valueSize(item[name]!);
  return bytes;
}

function valueSize(value: AttributeValue): number {
  const type = Object.keys(value)[0]!;
  const content = value[type];
  switch (type) {
    case 'M':
      return collectionBytes + Object.keys(content as Item).length + itemSize(content as Item);
    case 'L':
      return (content as AttributeValue[]).reduce((sum, member) => sum + 1 + valueSize(member), collectionBytes);
    default:
      return scalarSize(type, content);
  }
}

/**
 * What an item counts towards the 1 MB of a page of a query or scan, where the names of attributes are short and the
 * sort key is part of each 3 KB block. dynalite's authors measured this on AWS.
 */
export function pageSize(item: Item, sortKey: string | undefined): number {
  const bytes = storedItemSize(item, sortKey);
  const sortBytes = sortKey !== undefined && item[sortKey] ? valueSize(item[sortKey]) : 0;
  return 2 + bytes + (1 + Math.floor((1 + bytes) / 3072)) * (18 + sortBytes);
}

function storedItemSize(item: Item, omitted?: string): number {
  let bytes = 0;
  for (const name of Object.keys(item)) if (name !== omitted) bytes += 1 + storedSize(item[name]!);
  return bytes;
}

function storedSize(value: AttributeValue): number {
  const type = Object.keys(value)[0]!;
  const content = value[type];
  switch (type) {
    case 'M':
      return collectionBytes + Object.keys(content as Item).length + storedItemSize(content as Item);
    case 'L':
      return (content as AttributeValue[]).reduce((sum, member) => sum + 1 + storedSize(member), collectionBytes);
    case 'NULL':
      return 0;
    case 'BOOL':
      return 1;
    case 'S': {
      const bytes = Buffer.byteLength(content as string);
      return bytes + (bytes < 128 ? 1 : bytes < 16_384 ? 2 : 3);
    }
    case 'B':
    case 'N':
      return scalarSize(type, content) + 1;
    default:
      return scalarSize(type, content) + (content as string[]).length + 1;
  }
}

/** The size of a scalar or of a set of them. */
function scalarSize(type: string, content: unknown): number {
  switch (type) {
    case 'S':
      return Buffer.byteLength(content as string);
    case 'N':
      return numberSize(content as string);
    case 'B':
      return Buffer.byteLength(content as string, 'base64');
    case 'NULL':
    case 'BOOL':
      return 1;
    default:
      return (content as string[]).reduce((sum, member) => sum + scalarSize(type[0]!, member), 0);
  }
}

const [minus, point, zero, upperE, lowerE] = [...'-.0Ee'].map((character) => character.charCodeAt(0));

/**
 * A byte, one for each two significant digits, and one for a negative number. A byte holds two digits at an even
 * position, so an even count of digits at an odd position takes one more.
 */
export function numberSize(text: string): number {
  const isNegative = text.charCodeAt(0) === minus;
  let [digits, integerDigits, first, last, exponent] = [0, -1, -1, -1, 0];
  for (let index = isNegative ? 1 : 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === point) {
      integerDigits = digits;
    } else if (code === lowerE || code === upperE) {
      exponent = Number(text.slice(index + 1));
      break;
    } else {
      if (code !== zero) {
        if (first < 0) first = digits;
        last = digits;
      }
      digits += 1;
    }
  }
  if (first < 0) return 1;
  const significant = last - first + 1;
  const magnitude = (integerDigits < 0 ? digits : integerDigits) - first - 1 + exponent;
  const isShifted = significant % 2 === 0 && magnitude % 2 === 0;
  return 1 + Math.ceil(significant / 2) + (isShifted ? 1 : 0) + (isNegative ? 1 : 0);
}

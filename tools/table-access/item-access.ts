import { parseAst } from 'vitest/node';
import { closuresIn, followValues, type Node, textsIn, type Values } from './follow-values.ts';

/** Partition key prefixes that the code of a function reads and writes, and the indexes that it queries. */
export type ItemAccess = { read: Set<string>; write: Set<string>; indexes: Set<string> };

/** Functions of the table layer that read items by their keys, indexes, and the index `due`. */
export const readers = {
  items: [
    'getItem',
    'getItems',
    'queryItems',
    'queryRange',
    'rangePages',
    'queryRangeLatest',
    'queryAfter',
    'queryField',
    'queryLatest',
    'countRange',
  ],
  indexes: ['queryIndex', 'countIndex'],
  due: ['duePages', 'firstDue', 'countDue'],
} as const;

/** The items that are listed in the index `byOwner`, by the kind of the list. */
const listed: Record<string, string> = {
  user: 'USER#',
  token: 'TOKEN#',
  template: 'TEMPLATE#',
  upload: 'UPLOAD#',
  video: 'VIDEO#',
  'shared-template': 'TEMPLATE#',
  waiting: 'VIDEO#',
  'waiting-user': 'WAITING#',
  admitted: 'ADMISSION#',
  'worker-node': 'NODE#',
  'proxy-node': 'NODE#',
  'ssh-key': 'SSH_KEY#',
  event: 'EVENT#',
  due: 'DUE#',
  ingest: 'UPLOAD#',
  ingesting: 'QUEUE#',
  delivering: 'QUEUE#',
  'storage-delivery': 'STORAGE_DELIVERY#',
};
/** The items that are listed in the index `due`, by their kind. */
const dueItems: Record<string, string> = {
  'pool-lease': 'JOBS#',
  'pool-fetch': 'JOBS#',
  'node-lease': 'JOBS#',
  upload: 'UPLOAD#',
  reservation: 'QUOTA#',
  working: 'VIDEO#',
  'stream-edit': 'VIDEO#',
  slot: 'ADMISSION#',
  captions: 'VIDEO#',
  deleted: 'VIDEO#',
  retired: 'RETIRED#',
  node: 'NODE#',
  'failed-node': 'NODE#',
  'idle-pool': 'WORKER#',
  'idle-node': 'WORKER#',
  'idle-other': 'WORKER#',
};
/** Texts that are followed, because they become part of a partition key. */
const kinds = new Set([
  ...Object.keys(listed),
  ...Object.keys(dueItems),
  'stream',
  'output',
  'administrator',
  'node',
  'webhook',
  'byOwner',
  'byStatus',
  'queue',
  'leases',
]);

/**
 * A value is a kind, a key builder of `functions/table/items/keys.ts`, a key, or a stored item whose key may be used
 * again. In a `put`, such an item gives values, and the key is made anew.
 */
const builder = 'builder ';
const key = 'key ';
const found = 'found ';
const marked = (mark: string, values: Iterable<string | object>): string[] =>
  [...values].flatMap((one) => (typeof one === 'string' && one.startsWith(mark) ? one.slice(mark.length) : []));
const kindsIn = (values: Values = new Set()): string[] => textsIn(values).filter((text) => kinds.has(text));
const itemsFound = (prefixes: readonly (string | undefined)[]): Values =>
  new Set(prefixes.flatMap((prefix) => (prefix === undefined ? [] : found + prefix)));

/** The items that the code of a function can reach: of one bundle without packages. */
export function itemAccess(code: string): ItemAccess {
  const program = parseAst(code) as unknown as Node;
  const builders = findKeyBuilders(program);
  const access: ItemAccess = { read: new Set(), write: new Set(), indexes: new Set() };
  /** Calls of key builders whose argument `kind` has no known text. */
  const unknown = new Map<Node, string[]>();
  const note = (into: Set<string>, prefixes: readonly string[]): void => {
    for (const prefix of prefixes) into.add(prefix);
  };
  const keysIn = (values: Values): string[] => [
    ...marked(key, values),
    ...marked(builder, values).flatMap((name) => keysMadeBy(name, builders)),
  ];

  followValues(program, {
    known(node) {
      if (node.type === 'Literal') return kinds.has(String(node.value)) ? [String(node.value)] : [];
      const name = String((node.property as Node).name);
      return isKeyTable(node.object as Node) && builders.has(name) ? [builder + name] : undefined;
    },
    called(name, callees, args, node) {
      if (isOneOf(readers.items, name)) {
        for (const values of args) note(access.read, [...keysIn(values), ...marked(found, values)]);
        // The schema of a single item removes its key.
        return name === 'getItem' ? new Set() : itemsFound(args.flatMap((values) => marked(key, values)));
      }
      if (isOneOf(readers.indexes, name)) {
        const [index = ''] = kindsIn(args[0]);
        access.indexes.add(index);
        if (index === 'byOwner') return itemsFound(kindsIn(args[1]).map((kind) => listed[kind]));
        return itemsFound([index === 'byStatus' ? 'VIDEO#' : 'JOBS#']);
      }
      if (isOneOf(readers.due, name)) {
        access.indexes.add('due');
        return itemsFound(kindsIn(args[0]).map((kind) => dueItems[kind]));
      }
      if (name === 'listKey' || name === 'owned') return new Set(kindsIn(args[1]));
      const called = marked(builder, callees);
      if (called.length === 0) return undefined;
      const made = called.flatMap((one) => keysMadeBy(one, builders, args));
      if (made.length > 0) unknown.delete(node);
      else unknown.set(node, called);
      return new Set(made.map((prefix) => key + prefix));
    },
    named(name, values, value) {
      // A sum names the keys of its items by a function.
      if (name === 'keyOf') for (const { result } of closuresIn(values)) note(access.write, keysIn(result));
      // Declarations of routes have properties with such names too.
      if (isRouteDeclaration(value)) return;
      if (['put', 'update', 'delete'].includes(name)) note(access.write, keysIn(values));
      if (name === 'update' || name === 'delete') note(access.write, marked(found, values));
      if (name === 'check') note(access.read, keysIn(values));
    },
  });
  for (const [, names] of unknown) {
    throw new Error(`the kind in a call of keys.${names.join('|')} is not known: pass it as a literal text`);
  }
  return access;
}

const isOneOf = (names: readonly string[], name: string): boolean => names.includes(name);

const isRouteDeclaration = ({ type, properties }: Node): boolean =>
  type === 'ObjectExpression' &&
  (properties as Node[]).some((one) => (one.key as Node | undefined)?.name === 'operationId');

/** The table of key builders is known by one of its names. The bundler may have numbered the variable. */
const isKeyTable = ({ type, name }: Node): boolean => type === 'Identifier' && /^keys\d*$/.test(String(name));

function findKeyBuilders(program: Node): Map<string, Node> {
  const tables = (program.body as Node[])
    .flatMap(({ declarations }) => (declarations ?? []) as Node[])
    .filter(({ id, init }) => isKeyTable(id as Node) && (init as Node | null)?.type === 'ObjectExpression')
    .map(({ init }) =>
      ((init as Node).properties as Node[]).map((one) => [nameOf(one.key as Node), one.value as Node]),
    );
  return new Map(tables.find((table) => table.some(([name]) => name === 'templateCounts')) as [string, Node][]);
}

const nameOf = ({ name }: Node): string => String(name);

/** The partition keys that a builder makes, up to the first part that is not known. */
function keysMadeBy(name: string, builders: Map<string, Node>, args: Values[] = []): string[] {
  const { params, body } = builders.get(name) as { params: Node[]; body: Node } & Node;
  const position = params.findIndex((param) => param.name === 'kind');
  return textsOf(partitionKeyIn(body, builders), kindsIn(args[position]));
}

function partitionKeyIn(body: Node, builders: Map<string, Node>): Node {
  if (body.type !== 'ObjectExpression') return body;
  const pk = (body.properties as Node[]).find((one) => nameOf(one.key as Node) === 'pk')!.value as Node;
  // `pk: keys.jobs(…)`
  return pk.type === 'CallExpression' ? (builders.get(nameOf((pk.callee as Node).property as Node))!.body as Node) : pk;
}

function textsOf(node: Node, known: string[]): string[] {
  if (node.type === 'Literal') return [String(node.value)];
  if (node.type !== 'TemplateLiteral') throw new Error(`a partition key is made by ${node.type}`);
  const [text = '', next] = (node.quasis as Node[]).map((quasi) => (quasi.value as { cooked: string }).cooked);
  const isKind = nameOf((node.expressions as Node[])[0]!) === 'kind';
  return isKind ? known.map((kind) => `${text}${kind}${next}`) : [text];
}

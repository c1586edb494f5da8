import { build } from 'esbuild';
import { parseAst } from 'vitest/node';
import { repositoryRoot } from '../../infra/repository-root.ts';

/**
 * Finds the items that the code of a function can reach: partition key prefixes that it reads and writes, and the
 * indexes that it queries. It follows values through the tree-shaken bundle without regard to order: a variable has
 * the values of all assignments, an object those of all its properties, a parameter those of all calls. The result can
 * be larger than what the code does, never smaller.
 */
export type ItemAccess = { read: Set<string>; write: Set<string>; indexes: Set<string> };

type Node = { type: string; [name: string]: unknown };
type Values = Set<unknown>;
type Scope = { names: Map<string, Values>; outer?: Scope };
type Closure = { node: Node; scope: Scope; result: Values };

/** An item key, or a text that begins like one. */
type Prefix = { prefix: string };
/** A key builder of `functions/table/items/keys.ts`. */
type Builder = { builder: string };
/** A stored item, whose key may be used again. In a `put` it gives values, and the key is made anew. */
type Found = { found: string };

const readers = [
  'getItem',
  'getItems',
  'queryItems',
  'queryRange',
  'queryRangeLatest',
  'queryAfter',
  'queryField',
  'queryLatest',
  'countRange',
];
const indexReaders = ['queryIndex', 'countIndex'];
const dueReaders = ['duePages', 'firstDue', 'countDue'];
const written = ['put', 'update', 'delete'];

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

/** Tree-shaken modules of the repository for each handler, without packages: enough to know what its code reaches. */
export async function ownCode(handlers: readonly string[]): Promise<Map<string, string>> {
  const { outputFiles } = await build({
    absWorkingDir: repositoryRoot,
    entryPoints: Object.fromEntries(handlers.map((name) => [name, `functions/${name}.lambda.ts`])),
    outdir: '/',
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    packages: 'external',
    logLevel: 'warning',
  });
  return new Map(handlers.map((name) => [name, outputFiles.find(({ path }) => path === `/${name}.js`)?.text ?? '']));
}

export function itemAccess(code: string): ItemAccess {
  const program = parseAst(code) as unknown as Node;
  const access: ItemAccess = { read: new Set(), write: new Set(), indexes: new Set() };
  const top: Scope = { names: new Map() };
  const scopes = new Map<Node, Scope>();
  const closures = new Map<Node, Closure>();
  const fields = new Map<string, Values>();
  const builders = new Map<string, Node>();
  let changed = true;
  let settled = false;

  const add = (into: Values, values: Iterable<unknown>): void => {
    for (const value of values) {
      if (!into.has(value)) {
        into.add(value);
        changed = true;
      }
    }
  };
  const prefixes = new Map<string, Prefix>();
  const prefixOf = (text: string): Prefix => {
    if (!prefixes.has(text)) prefixes.set(text, { prefix: text });
    return prefixes.get(text)!;
  };
  const founds = new Map<string, Found>();
  const foundOf = (text: string): Found => {
    if (!founds.has(text)) founds.set(text, { found: text });
    return founds.get(text)!;
  };
  const isFound = (value: unknown): value is Found => typeof value === 'object' && value !== null && 'found' in value;
  const builderValues = new Map<string, Builder>();
  const isPrefix = (value: unknown): value is Prefix =>
    typeof value === 'object' && value !== null && 'prefix' in value;
  const isBuilder = (value: unknown): value is Builder =>
    typeof value === 'object' && value !== null && 'builder' in value;
  const note = (into: Set<string>, values: Iterable<unknown>): void => {
    for (const value of values) {
      if (isPrefix(value)) into.add(value.prefix);
      if (isFound(value) && into === access.read) into.add(value.found);
      if (isBuilder(value)) for (const { prefix } of keysMadeBy(value.builder, [])) into.add(prefix);
    }
  };

  const lookUp = (name: string, scope: Scope | undefined): Values | undefined =>
    scope && (scope.names.get(name) ?? lookUp(name, scope.outer));
  const declare = (name: string, scope: Scope): Values => {
    if (!scope.names.has(name)) scope.names.set(name, new Set());
    return scope.names.get(name)!;
  };
  /** The scope of a function or block. */
  const scopeOf = (node: Node, outer: Scope): Scope => {
    if (!scopes.has(node)) scopes.set(node, { names: new Map(), outer });
    return scopes.get(node)!;
  };

  /** The partition keys that a builder makes, up to the first part that is not known. */
  function keysMadeBy(name: string, args: Values[]): Prefix[] {
    const node = builders.get(name);
    if (!node) return [];
    const params = (node.params as Node[]).map((param) => String((param.left as Node | undefined)?.name ?? param.name));
    return textsOf(partitionKeyIn(node.body as Node), new Map(params.map((param, index) => [param, args[index]]))).map(
      prefixOf,
    );
  }

  function partitionKeyIn(body: Node): Node {
    if (body.type !== 'ObjectExpression') return body;
    const pk = (body.properties as Node[]).find((one) => (one.key as Node | undefined)?.name === 'pk')!.value as Node;
    // `pk: keys.jobs(…)`
    if (pk.type !== 'CallExpression') return pk;
    return builders.get(String(((pk.callee as Node).property as Node).name))!.body as Node;
  }

  function textsOf(node: Node, args: Map<string, Values | undefined>): string[] {
    if (node.type === 'Literal') return [String(node.value)];
    if (node.type !== 'TemplateLiteral') throw new Error(`a partition key is made by ${node.type}`);
    const quasis = (node.quasis as Node[]).map((quasi) => (quasi.value as { cooked: string }).cooked);
    let texts = [quasis[0]!];
    for (const [index, expression] of (node.expressions as Node[]).entries()) {
      if (expression.name !== 'kind') return texts;
      const known = [...(args.get('kind') ?? [])].filter((value) => typeof value === 'string');
      if (known.length === 0) return settled ? texts : [];
      texts = texts.flatMap((text) => known.map((value) => `${text}${value}${quasis[index + 1]}`));
    }
    return texts;
  }

  function assign(pattern: Node, values: Values, scope: Scope, isDeclared: boolean): void {
    switch (pattern.type) {
      case 'Identifier': {
        const name = String(pattern.name);
        add((isDeclared ? undefined : lookUp(name, scope)) ?? declare(name, scope), values);
        return;
      }
      case 'ObjectPattern':
        for (const property of pattern.properties as Node[]) {
          assign((property.value ?? property.argument) as Node, values, scope, isDeclared);
        }
        return;
      case 'ArrayPattern':
        for (const element of pattern.elements as (Node | null)[]) {
          if (element) assign(element, values, scope, isDeclared);
        }
        return;
      case 'AssignmentPattern':
        assign(pattern.left as Node, values, scope, isDeclared);
        assign(pattern.left as Node, evaluate(pattern.right as Node, scope), scope, isDeclared);
        return;
      case 'RestElement':
        assign(pattern.argument as Node, values, scope, isDeclared);
        return;
      case 'MemberExpression': {
        // An object has the values of its members.
        const object = pattern.object as Node;
        const name = String((pattern.property as Node).name);
        if (object.type === 'Identifier') assign(object, withoutFunctions(name, values), scope, false);
      }
    }
  }

  function callClosure(closure: Closure, args: Values[]): Values {
    const inner = scopeOf(closure.node, closure.scope);
    for (const [index, param] of (closure.node.params as Node[]).entries()) {
      const given = param.type === 'RestElement' ? args.slice(index) : args.slice(index, index + 1);
      assign(param, new Set(given.flatMap((values) => [...values])), inner, true);
    }
    return closure.result;
  }

  const isClosure = (value: unknown): value is Closure =>
    typeof value === 'object' && value !== null && 'result' in value && 'node' in value;

  function call(node: Node, scope: Scope): Values {
    const callee = node.callee as Node;
    const args = (node.arguments as Node[]).map((one) => evaluate(one, scope));
    const name = callee.type === 'Identifier' ? String(callee.name).replace(/\d+$/, '') : '';
    if (readers.includes(name)) {
      for (const values of args) note(access.read, values);
      // The schema of a single item removes its key.
      if (name === 'getItem') return new Set();
      return new Set(args.flatMap((values) => [...values].filter(isPrefix).map(({ prefix }) => foundOf(prefix))));
    }
    if (indexReaders.includes(name)) {
      const [index = ''] = [...args[0]!].filter((value) => typeof value === 'string');
      access.indexes.add(String(index));
      if (index === 'byStatus') return new Set([foundOf('VIDEO#')]);
      if (index !== 'byOwner') return new Set([foundOf('JOBS#')]);
      const lists = [...(args[1] ?? [])].filter((value) => typeof value === 'string');
      return new Set(lists.flatMap((list) => (listed[list] ? [foundOf(listed[list])] : [])));
    }
    if (dueReaders.includes(name)) {
      access.indexes.add('due');
      const found = [...args[0]!].filter((value) => typeof value === 'string');
      return new Set(found.flatMap((kind) => (dueItems[kind] ? [foundOf(dueItems[kind])] : [])));
    }
    if (name === 'listKey' || name === 'owned')
      return new Set([...args[1]!].filter((value) => typeof value === 'string'));
    // A chain of calls is evaluated once: the values of a member are those of its object and of its fields.
    const callees = evaluate(callee, scope);
    const receiver = callee.type === 'MemberExpression' ? callees : new Set<unknown>();
    const made = new Set<unknown>();
    const called = callee.type === 'MemberExpression' ? [] : [...callees].filter(isClosure);
    for (const value of callees) {
      if (isBuilder(value)) for (const prefix of keysMadeBy(value.builder, args)) made.add(prefix);
      if (
        isClosure(value) &&
        (callee.type !== 'MemberExpression' || fields.get(String((callee.property as Node).name))?.has(value))
      )
        for (const one of callClosure(value, args)) made.add(one);
    }
    if (called.length > 0 || [...callees].some(isBuilder)) return made;
    // A method of a list or an unknown function: its callbacks get the values of the receiver and of the arguments.
    const isMapping =
      callee.type === 'MemberExpression' && /^(map|flatMap)$/.test(String((callee.property as Node).name));
    const passed = new Set([
      ...[...receiver].filter((one) => !isClosure(one)),
      ...args.flatMap((values) => [...values]),
    ]);
    for (const value of passed) {
      if (isClosure(value) && args.some((values) => values.has(value))) {
        const data = new Set([...passed].filter((one) => !isClosure(one)));
        for (const one of callClosure(value, [data, data])) made.add(one);
      }
      if (isBuilder(value)) for (const prefix of keysMadeBy(value.builder, [])) made.add(prefix);
      if (!isMapping) made.add(value);
    }
    return made;
  }

  const union = (nodes: unknown[], scope: Scope): Values =>
    new Set(nodes.filter((one) => one !== null).flatMap((one) => [...evaluate(one as Node, scope)]));

  /** Functions are known by the name of the property that has them, and not by the object. */
  function withoutFunctions(name: string, values: Values): Values {
    const functions = [...values].filter(isClosure);
    if (functions.length === 0) return values;
    if (!fields.has(name)) fields.set(name, new Set());
    add(fields.get(name)!, functions);
    return new Set([...values].filter((value) => !isClosure(value)));
  }

  function property(node: Node, scope: Scope): Values {
    if (node.type === 'SpreadElement') return evaluate(node.argument as Node, scope);
    const name = String((node.key as Node).name ?? (node.key as Node).value);
    const all = evaluate(node.value as Node, scope);
    // A sum names the keys of its items by a function.
    if (name === 'keyOf') for (const one of all) if (isClosure(one)) note(access.write, one.result);
    const values = withoutFunctions(name, all);
    // Route facts have such names too.
    if (isRouteFact(node.value as Node)) return values;
    if (written.includes(name)) note(access.write, values);
    if (name === 'update' || name === 'delete') for (const one of values) if (isFound(one)) access.write.add(one.found);
    if (name === 'check') note(access.read, values);
    return values;
  }

  const isRouteFact = ({ type, properties }: Node): boolean =>
    type === 'ObjectExpression' &&
    (properties as Node[]).some((one) => (one.key as Node | undefined)?.name === 'operationId');

  function evaluate(node: Node, scope: Scope): Values {
    switch (node.type) {
      case 'Literal':
        return new Set(kinds.has(String(node.value)) ? [node.value] : []);
      case 'Identifier':
        return lookUp(String(node.name), scope) ?? new Set();
      case 'MemberExpression': {
        const object = node.object as Node;
        const name = String((node.property as Node).name);
        if (object.type === 'Identifier' && /^keys\d*$/.test(String(object.name)) && builders.has(name)) {
          if (!builderValues.has(name)) builderValues.set(name, { builder: name });
          return new Set([builderValues.get(name)]);
        }
        if (node.computed) evaluate(node.property as Node, scope);
        const values = evaluate(object, scope);
        const functions = node.computed ? undefined : fields.get(name);
        return functions ? values.union(functions) : values;
      }
      case 'CallExpression':
      case 'NewExpression':
        return call(node, scope);
      case 'ObjectExpression':
        return new Set((node.properties as Node[]).flatMap((one) => [...property(one, scope)]));
      case 'ArrayExpression':
        return union(node.elements as unknown[], scope);
      case 'ConditionalExpression':
        evaluate(node.test as Node, scope);
        return union([node.consequent, node.alternate], scope);
      case 'LogicalExpression':
        return union([node.left, node.right], scope);
      case 'SequenceExpression':
        return union(node.expressions as unknown[], scope);
      case 'TemplateLiteral':
        union(node.expressions as unknown[], scope);
        return new Set();
      case 'BinaryExpression':
        union([node.left, node.right], scope);
        return new Set();
      case 'AssignmentExpression': {
        const values = evaluate(node.right as Node, scope);
        assign(node.left as Node, values, scope, false);
        return values;
      }
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
      case 'FunctionDeclaration': {
        if (!closures.has(node)) closures.set(node, { node, scope, result: new Set() });
        const closure = closures.get(node)!;
        const inner = scopeOf(node, scope);
        for (const param of node.params as Node[]) assign(param, new Set(), inner, true);
        const body = node.body as Node;
        if (body.type === 'BlockStatement') run(body, inner, closure.result);
        else add(closure.result, evaluate(body, inner));
        return new Set([closure]);
      }
      default: {
        // await, spread, unary, chain, yield, class, …: what is inside
        const inside = childrenOf(node);
        return union(inside, scope);
      }
    }
  }

  /** Statements: declarations get their values, `result` those of each return. */
  function run(node: Node, scope: Scope, result: Values): void {
    switch (node.type) {
      case 'FunctionDeclaration':
        add(declare(String((node.id as Node).name), scope), evaluate(node, scope));
        return;
      case 'VariableDeclarator': {
        const init = node.init as Node | null;
        const name = (node.id as Node).name;
        if (init?.type === 'ObjectExpression' && /^keys\d*$/.test(String(name)) && isKeyTable(init)) return;
        assign(node.id as Node, init ? evaluate(init, scope) : new Set(), scope, true);
        return;
      }
      case 'ReturnStatement':
        if (node.argument) add(result, evaluate(node.argument as Node, scope));
        return;
      case 'ForOfStatement': {
        const inner = scopeOf(node, scope);
        const values = evaluate(node.right as Node, inner);
        const left = node.left as Node;
        if (left.type === 'VariableDeclaration') {
          assign((left.declarations as Node[])[0]!.id as Node, values, inner, true);
        } else assign(left, values, inner, false);
        run(node.body as Node, inner, result);
        return;
      }
      case 'BlockStatement':
      case 'ForStatement': {
        const inner = scopeOf(node, scope);
        for (const child of childrenOf(node)) run(child, inner, result);
        return;
      }
      case 'YieldExpression':
        add(result, union(childrenOf(node), scope));
        return;
      default:
        if (/(Expression|Literal|Identifier)$/.test(node.type)) evaluate(node, scope);
        else for (const child of childrenOf(node)) run(child, scope, result);
    }
  }

  function isKeyTable(init: Node): boolean {
    const properties = init.properties as Node[];
    if (!properties.some(({ key }) => (key as Node).name === 'templateCounts')) return false;
    for (const { key, value } of properties) builders.set(String((key as Node).name), value as Node);
    return true;
  }

  while (changed) {
    changed = false;
    run(program, top, new Set());
  }
  settled = true;
  run(program, top, new Set());
  return access;
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((child): child is Node => typeof child === 'object' && child !== null && 'type' in child);
}

export type Node = { type: string; [name: string]: unknown };
/** Variables by name, of a function, a block or the whole program. */
type Scope = { names: Map<string, Values>; outer?: Scope };
/** A function with the variables that it can see. `result` has the values of all its returns. */
export type Closure = { node: Node; scope: Scope; result: Values };
/** A text, whose meaning the caller knows, or a function. */
export type Values = Set<string | Closure>;

/** What the caller knows of the program. Results are collected by `called` and `named`, which run many times. */
export type Meaning = {
  /** The values of a literal or of a member such as `keys.video`. Without any, it is followed like other code. */
  known(node: Node): string[] | undefined;
  /** A call of a function by its name, and by the texts that stand for what is called. Undefined: it is followed. */
  called(name: string, callees: Values, args: Values[], node: Node): Values | undefined;
  /** A property in an object literal. */
  named(name: string, values: Values, value: Node): void;
};

export const textsIn = (values: Values): string[] => [...values].filter((value) => typeof value === 'string');
export const closuresIn = (values: Values): Closure[] => [...values].filter((value) => typeof value !== 'string');
const none: Values = new Set();

export function joined(all: readonly Values[]): Values {
  const filled = all.filter(({ size }) => size > 0);
  if (filled.length < 2) return filled[0] ?? none;
  const result: Values = new Set();
  for (const values of filled) for (const value of values) result.add(value);
  return result;
}

/**
 * Follows values through a program without regard to order: a variable has the values of all assignments, an object
 * those of all its properties, a parameter those of all calls. The result can be more than what the program does, never
 * less. Runs until no variable gets another value.
 */
export function followValues(program: Node, { known, called, named }: Meaning): void {
  const scopes = new Map<Node, Scope>();
  const closures = new Map<Node, Closure>();
  /** Functions by the name of the property that has them, since the tool does not distinguish objects. */
  const methods = new Map<string, Values>();
  let changed = true;

  const add = (into: Values, values: Iterable<string | Closure>): void => {
    const before = into.size;
    for (const value of values) into.add(value);
    if (into.size > before) changed = true;
  };
  const lookUp = (name: string, scope: Scope | undefined): Values | undefined =>
    scope && (scope.names.get(name) ?? lookUp(name, scope.outer));
  const declare = (name: string, scope: Scope): Values => getOrMake(scope.names, name, () => new Set());
  const scopeOf = (node: Node, outer: Scope): Scope => getOrMake(scopes, node, () => ({ names: new Map(), outer }));
  const evaluateAll = (nodes: readonly Node[], scope: Scope): Values =>
    joined(nodes.map((node) => evaluate(node, scope)));

  /** Gives values to a variable, or to all variables of a pattern. */
  function assign(pattern: Node, values: Values, scope: Scope, isDeclared: boolean): void {
    if (pattern.type === 'Identifier') {
      const name = String(pattern.name);
      add((isDeclared ? undefined : lookUp(name, scope)) ?? declare(name, scope), values);
    } else if (pattern.type === 'MemberExpression') {
      const { object, property } = pattern as { object: Node; property: Node } & Node;
      if (object.type === 'Identifier') assign(object, withoutMethods(String(property.name), values), scope, false);
    } else if (pattern.type === 'AssignmentPattern') {
      const { left, right } = pattern as { left: Node; right: Node } & Node;
      assign(left, joined([values, evaluate(right, scope)]), scope, isDeclared);
    } else if (pattern.type === 'Property') assign(pattern.value as Node, values, scope, isDeclared);
    else for (const part of childrenOf(pattern)) assign(part, values, scope, isDeclared);
  }

  function withoutMethods(name: string, values: Values): Values {
    const functions = closuresIn(values);
    if (functions.length > 0)
      add(
        getOrMake(methods, name, () => new Set()),
        functions,
      );
    return new Set(textsIn(values));
  }

  function callClosure({ node, scope, result }: Closure, args: Values[]): Values {
    for (const [index, param] of (node.params as Node[]).entries()) {
      const given = param.type === 'RestElement' ? args.slice(index) : args.slice(index, index + 1);
      assign(param, joined(given), scopeOf(node, scope), true);
    }
    return result;
  }

  function call(node: Node, scope: Scope): Values {
    const callee = node.callee as Node;
    const args = (node.arguments as Node[]).map((one) => evaluate(one, scope));
    const isMethod = callee.type === 'MemberExpression';
    const callees = evaluate(callee, scope);
    const result = called(isMethod ? '' : originalName(callee), callees, args, node);
    if (result) return result;
    const name = isMethod ? String((callee.property as Node).name) : '';
    const functions = closuresIn(callees).filter((one) => !isMethod || methods.get(name)?.has(one));
    const results = functions.map((one) => callClosure(one, args));
    if (!isMethod && functions.length > 0) return joined(results);
    // A method of a list or an unknown function: its callbacks get the values of the receiver and of the arguments.
    const [given, callbacks] = [textsIn(joined(args)), closuresIn(joined(args))];
    const passed: Values = new Set([...(isMethod ? textsIn(callees) : []), ...given]);
    results.push(...callbacks.map((one) => callClosure(one, [passed, passed])));
    // A text that is given to `map` stands for a function.
    if (/^(map|flatMap)$/.test(name)) return joined([...results, new Set(given)]);
    return joined([...results, passed, new Set(callbacks)]);
  }

  function property(node: Node, scope: Scope): Values {
    if (node.type === 'SpreadElement') return evaluate(node.argument as Node, scope);
    const { key, value } = node as { key: Node; value: Node } & Node;
    const name = String(key.name ?? key.value);
    const values = evaluate(value, scope);
    named(name, values, value);
    return withoutMethods(name, values);
  }

  function evaluate(node: Node, scope: Scope): Values {
    switch (node.type) {
      case 'Literal':
        return new Set(known(node));
      case 'Identifier':
        return lookUp(String(node.name), scope) ?? none;
      case 'MemberExpression': {
        const texts = known(node);
        if (texts) return new Set(texts);
        const { object, property } = node as { object: Node; property: Node } & Node;
        if (node.computed) evaluate(property, scope);
        const functions = node.computed ? undefined : methods.get(String(property.name));
        return joined([evaluate(object, scope), ...(functions ? [functions] : [])]);
      }
      case 'CallExpression':
      case 'NewExpression':
        return call(node, scope);
      case 'ObjectExpression':
        return joined((node.properties as Node[]).map((one) => property(one, scope)));
      case 'ConditionalExpression':
        evaluate(node.test as Node, scope);
        return evaluateAll([node.consequent as Node, node.alternate as Node], scope);
      case 'TemplateLiteral':
      case 'BinaryExpression':
        evaluateAll(childrenOf(node), scope);
        return none;
      case 'AssignmentExpression': {
        const values = evaluate(node.right as Node, scope);
        assign(node.left as Node, values, scope, false);
        return values;
      }
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
      case 'FunctionDeclaration': {
        const closure = getOrMake(closures, node, (): Closure => ({ node, scope, result: new Set() }));
        const inner = scopeOf(node, scope);
        for (const param of node.params as Node[]) assign(param, none, inner, true);
        const body = node.body as Node;
        if (body.type === 'BlockStatement') run(body, inner, closure.result);
        else add(closure.result, evaluate(body, inner));
        return new Set([closure]);
      }
      default:
        // await, spread, unary, chain, class, list, …: what is inside
        return evaluateAll(childrenOf(node), scope);
    }
  }

  /** Statements: declarations get their values, `result` those of each return. */
  function run(node: Node, scope: Scope, result: Values): void {
    if (node.type === 'FunctionDeclaration') {
      add(declare(String((node.id as Node).name), scope), evaluate(node, scope));
    } else if (node.type === 'VariableDeclarator') {
      assign(node.id as Node, node.init ? evaluate(node.init as Node, scope) : none, scope, true);
    } else if (node.type === 'ReturnStatement' || node.type === 'YieldExpression') {
      add(result, evaluateAll(childrenOf(node), scope));
    } else if (node.type === 'ForOfStatement') {
      const { left, right, body } = node as { left: Node; right: Node; body: Node } & Node;
      const inner = scopeOf(node, scope);
      const isDeclared = left.type === 'VariableDeclaration';
      const pattern = isDeclared ? ((left.declarations as Node[])[0]!.id as Node) : left;
      assign(pattern, evaluate(right, inner), inner, isDeclared);
      run(body, inner, result);
    } else if (/(Expression|Literal|Identifier)$/.test(node.type)) evaluate(node, scope);
    else {
      const inner = /^(Block|For)Statement$/.test(node.type) ? scopeOf(node, scope) : scope;
      for (const child of childrenOf(node)) run(child, inner, result);
    }
  }

  const top: Scope = { names: new Map() };
  while (changed) {
    changed = false;
    run(program, top, new Set());
  }
}

/** The name in the source of a function that the bundler has numbered. */
const originalName = ({ type, name }: Node): string => (type === 'Identifier' ? String(name).replace(/\d+$/, '') : '');

const children = new WeakMap<Node, Node[]>();

const childrenOf = (node: Node): Node[] =>
  getOrMake(children, node, () =>
    Object.values(node)
      .flat()
      .filter((child): child is Node => typeof child === 'object' && child !== null && 'type' in child),
  );

type Table<Key, Value> = { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown };

function getOrMake<Key, Value>(table: Table<Key, Value>, key: Key, make: () => Value): Value {
  const known = table.get(key);
  if (known !== undefined) return known;
  const made = make();
  table.set(key, made);
  return made;
}

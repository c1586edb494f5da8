import { beforeAll, describe, expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { type ErrorCode, errorCodes } from '../../../../functions/common/error-codes.ts';
import { errorCodesOf } from '../../../../functions/contracts/error-responses.ts';
import { publishedRoutes } from '../../../../functions/contracts/published-routes.ts';
import { handlers } from '../../../../infra/build/bundle.ts';
import { ownCode } from '../../../../tools/table-access/generate.ts';

// Which errors the code of each operation can reach, from the bundles of the functions. It follows names only, so it
// can be more than what the operation does, never less.

type Node = { type: string; [name: string]: unknown };
/** Operations by their ID, and `handler` for what all of them share. */
type Reached = Map<string, Set<ErrorCode>>;

const childrenOf = (node: Node): Node[] =>
  Object.entries(node)
    // A name after a dot and the name of a property are no variables, and `instanceof` throws nothing.
    .filter(([name]) => !(name === 'property' || name === 'key') || node.computed)
    .filter(([name]) => !(node.operator === 'instanceof' && name === 'right'))
    .flatMap(([, value]) => value)
    .filter((value): value is Node => typeof value === 'object' && value !== null && 'type' in value);

const nameOf = (node: unknown): string => String((node as Node | null)?.name);

/** The variables, functions and classes of a bundle by name. */
function declarationsOf(code: string): Map<string, Node> {
  const body = (parseAst(code) as unknown as { body: Node[] }).body;
  return new Map(
    body.flatMap((node): [string, Node][] =>
      node.type === 'VariableDeclaration'
        ? (node.declarations as Node[]).map((one) => [nameOf(one.id), one])
        : [[nameOf(node.id), node]],
    ),
  );
}

function reachedIn(code: string): Reached {
  const declarations = declarationsOf(code);
  const found = new Map<string, { codes: Set<ErrorCode>; names: Set<string>; routes: Node[] }>();
  const look = (name: string, node: Node) => {
    const [codes, names, routes] = [new Set<ErrorCode>(), new Set<string>(), [] as Node[]];
    const visit = (one: Node): void => {
      if (one.type === 'Literal' && String(one.value) in errorCodes) codes.add(one.value as ErrorCode);
      if (one.type === 'Identifier' && declarations.has(nameOf(one))) names.add(nameOf(one));
      if (one.type === 'CallExpression' && /^(route|recordRoute|machineRoute)\d*$/.test(nameOf(one.callee)))
        routes.push(one);
      childrenOf(one).forEach(visit);
    };
    visit(node);
    const seen = { codes, names, routes };
    found.set(name, seen);
    return seen;
  };
  const reach = (starts: readonly string[], reached = new Set<string>()): Set<string> => {
    for (const name of starts) {
      // Lists of codes and declarations throw nothing.
      if (reached.has(name) || /^(errorCodes|errorCodesOf|examples|\w+Routes)\d*$/.test(name)) continue;
      reached.add(name);
      reach([...(found.get(name) ?? look(name, declarations.get(name)!)).names], reached);
    }
    return reached;
  };
  const codesFrom = (node: Node): Set<ErrorCode> => {
    const { codes, names } = look('', node);
    return new Set([...codes, ...[...reach([...names])].flatMap((name) => [...found.get(name)!.codes])]);
  };

  for (const [name, node] of declarations) look(name, node);
  const result: Reached = new Map();
  for (const { routes } of [...found.values()]) {
    for (const { callee, arguments: args } of routes) {
      const [declaration, ...rest] = args as Node[];
      const operationId = operationIdOf(declaration!, declarations);
      if (operationId === undefined) continue;
      const codes = new Set(rest.flatMap((one) => [...codesFrom(one)]));
      if (nameOf(callee).startsWith('record')) codes.add('not_found');
      result.set(operationId, codes);
    }
  }
  const shared = declarations.get('createApiHandler');
  if (shared) result.set('handler', codesFrom(shared));
  return result;
}

/** Of `videoRoutes.get`. Undefined for the function that makes a route of its parameter. */
function operationIdOf(member: Node, declarations: Map<string, Node>): string | undefined {
  if (member.type !== 'MemberExpression') return undefined;
  const table = declarations.get(nameOf(member.object))!.init as Node;
  const own = (properties: unknown, name: string): Node =>
    (properties as Node[]).find((one) => nameOf(one.key) === name)!.value as Node;
  const declaration = own(table.properties, nameOf(member.property));
  return String(own(declaration.properties, 'operationId').value);
}

let reached: Reached;
beforeAll(async () => {
  const names = handlers.filter((name) => name.startsWith('api/'));
  const code = await ownCode(names);
  reached = new Map([...code.values()].flatMap((one) => [...reachedIn(one)]));
});

/** What a function throws for other operations only. */
const impossible: Partial<Record<string, readonly ErrorCode[]>> = {
  register: ['concurrent_change', 'last_administrator'],
  createUser: ['concurrent_change', 'last_administrator'],
  updateProfile: ['last_administrator'],
  deleteUser: ['validation_failed'],
  updatePassword: ['not_found'],
  createNode: ['concurrent_change'],
};

describe('an operation', () => {
  test.each(publishedRoutes.map((one) => [one.operationId, one] as const))(
    '%s names the codes of its errors',
    (id, declaration) => {
      const codes = reached.get(id)!;
      const other = impossible[id] ?? [];
      expect(errorCodesOf(declaration)).toEqual(
        expect.arrayContaining([...codes].filter((code) => !other.includes(code))),
      );
      // Registration may be switched off: its path does not exist then.
      const all = new Set([...codes, ...reached.get('handler')!]);
      expect([...all]).toEqual(expect.arrayContaining([...(declaration.errors ?? []), ...other]));
    },
  );

  test('has no other codes from the checks of all operations', () => {
    expect([...reached.get('handler')!].toSorted()).toEqual([
      'body_too_large',
      'csrf_mismatch',
      'forbidden',
      'internal_error',
      'malformed_body',
      'method_not_allowed',
      'no_such_route',
      'not_found',
      'password_confirmation_required',
      'request_too_slow',
      'service_unavailable',
      'token_ability_missing',
      'token_expired',
      'too_many_requests',
      'unauthenticated',
      'unsupported_media_type',
      'upload_token_origin',
      'validation_failed',
    ]);
  });
});

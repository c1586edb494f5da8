import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseAst } from 'vitest/node';

type Node = { type: string; start: number; end: number; [field: string]: unknown };

const sources = globSync(
  '{client,dashboard,delivery,embedded-aws,encoder-task,functions,infra,lab,local,shared,test,tools}/**/*.{ts,tsx,js,mjs}',
).filter((path) => !path.includes('node_modules') && !path.startsWith('client/dist/'));

/** Most files have no spread of a literal, and parsing takes long. */
const maySpreadLiteral = /\.\.\.[\s(]*[{[]/;
/** A string with a flag, as it is written. */
const flag = /^['"`]--?[a-z]/i;

describe('a literal is not spread where its content can stand by itself', () => {
  test.each([
    ['const a = { ...{ b: 1 }, c };', ['...{ b: 1 }']],
    ['const a = { ...({ b: 1 } as const), c };', ['...({ b: 1 } as const)']],
    ['const a = { b: { ...{ c: 1 } } };', ['...{ c: 1 }']],
    ["const a = [...['b', 'c'], d];", ["...['b', 'c']"]],
    ["call(...['b', 'c'], d);", ["...['b', 'c']"]],
    ['const a = { ...b, ...(c ? { d } : {}), ...(e && { f }) };', []],
    ['const a = [...b, ...(c ? [d] : []), ...[e, f].map(g)];', []],
    ["const args = [...['-map', '0'], '-y', file];", []],
    ["ffmpeg(...['-c:v', 'libx264'], ...[codec, file]);", []],
  ])('%s', (text, found) => {
    expect(literalSpreadsIn(text)).toEqual(found);
  });

  test('in no file of the repository', () => {
    expect(sources.length).toBeGreaterThan(1000);
    const found = sources.flatMap((path) => literalSpreadsIn(readFileSync(path, 'utf8'), path));
    expect(found).toEqual([]);
  });
});

/**
 * The spreads of object literals in object literals, and of array literals in array literals or arguments. In an argv,
 * which is a list with flags, a spread may group a flag with its value.
 */
function literalSpreadsIn(text: string, path = 'example.ts'): string[] {
  if (!maySpreadLiteral.test(text)) return [];
  const found: string[] = [];
  const isArgv = (elements: readonly Node[]): boolean =>
    elements.some((element) =>
      element.type === 'SpreadElement'
        ? isArgv(childrenOf(operandOf(element)))
        : flag.test(text.slice(element.start, element.end)),
    );
  const visit = (node: Node): void => {
    const children = childrenOf(node);
    const type = node.type === 'ObjectExpression' ? 'ObjectExpression' : 'ArrayExpression';
    const spreads = children.filter((child) => child.type === 'SpreadElement' && operandOf(child).type === type);
    if (!isArgv(children)) {
      for (const { start, end } of spreads) found.push(text.slice(start, end));
    }
    for (const child of children) visit(child);
  };
  visit(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node);
  return found;
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** What is spread, or cast, without the cast. */
function operandOf({ argument, expression }: Node): Node {
  const operand = (argument ?? expression) as Node;
  return /^TS|^Parenthesized/.test(operand.type) ? operandOf(operand) : operand;
}

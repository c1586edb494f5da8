import { createBoundedCache } from '../../iam/bounded-cache.ts';
import type { AttributeValue } from '../dynalite/dynalite.ts';

type Values = Record<string, AttributeValue>;
/** The names and values of a request, and those that no expression has used so far. Parsers delete what they use. */
export type ParserContext = {
  attrNames?: Record<string, string> | undefined;
  attrVals?: Values | undefined;
  unusedAttrNames: Record<string, true>;
  unusedAttrVals: Record<string, true>;
};
/** Returns the parsed expression or the text of an error, or throws a syntax error. */
export type Parse = (text: string, options: { context: ParserContext }) => object | string;
type Build = (values: Values) => unknown;
type Used = { names: string[]; values: string[] };
type Template = Used & { build: Build };

/** The service has about a hundred expressions. */
const maxTemplates = 500;
const maxKeyLength = 2000;
/** The parser checks the values of these, not only their types. */
const dependsOnValues = /\bbetween\b|attribute_type/i;

/**
 * A parser that parses an expression once for its text, the names, and the types of the values. The result depends on
 * nothing else, apart from the values themselves, which are inserted for each request. Results share no arrays or
 * nodes, because the actions change them.
 */
export function cachedParser(parse: Parse): Parse {
  const templates = createBoundedCache<Template>(maxTemplates);
  return (text, { context }) => {
    const key = templateKey(text, context);
    if (key.length > maxKeyLength || dependsOnValues.test(text)) return parse(text, { context });
    const known = templates.get(key);
    if (known) {
      markUsed(context, known);
      return known.build(context.attrVals ?? {}) as object;
    }
    // An earlier expression of the request may have used the same names, so all of them are given as unused.
    const [unusedAttrNames, unusedAttrVals] = [allOf(context.attrNames), allOf(context.attrVals)];
    const parsed = parse(text, { context: { ...context, unusedAttrNames, unusedAttrVals } });
    const used = {
      names: Object.keys(context.attrNames ?? {}).filter((name) => !Object.hasOwn(unusedAttrNames, name)),
      values: Object.keys(context.attrVals ?? {}).filter((name) => !Object.hasOwn(unusedAttrVals, name)),
    };
    markUsed(context, used);
    if (typeof parsed === 'string') return parsed;
    const valueNames = new Map(Object.entries(context.attrVals ?? {}).map(([name, value]) => [value, name]));
    templates.set(key, { build: builderOf(parsed, valueNames), ...used });
    return parsed;
  };
}

/** Values are valid at this point: each has one type. */
function templateKey(text: string, { attrNames, attrVals = {} }: ParserContext): string {
  const types = Object.keys(attrVals).map((name) => [name, Object.keys(attrVals[name]!)[0]]);
  return JSON.stringify([text, attrNames, types]);
}

const allOf = (given: object | undefined): Record<string, true> =>
  Object.fromEntries(Object.keys(given ?? {}).map((name) => [name, true]));

function markUsed({ unusedAttrNames, unusedAttrVals }: ParserContext, { names, values }: Used): void {
  for (const name of names) delete unusedAttrNames[name];
  for (const name of values) delete unusedAttrVals[name];
}

/** Builds copies of a parsed expression with other values. `names` contains the names of the values in it. */
function builderOf(node: unknown, names: ReadonlyMap<unknown, string>): Build {
  const name = names.get(node);
  if (name !== undefined) return (values) => values[name];
  if (Array.isArray(node)) {
    const members = node.map((member) => builderOf(member, names));
    return (values) => members.map((build) => build(values));
  }
  // Objects without a prototype are sets of attribute names, which only the parser changes.
  if (typeof node !== 'object' || node === null || Object.getPrototypeOf(node) === null) return () => node;
  const members = Object.entries(node).map(([member, value]) => [member, builderOf(value, names)] as const);
  return (values) => {
    const copy: Record<string, unknown> = {};
    for (const [member, build] of members) copy[member] = build(values);
    return copy;
  };
}

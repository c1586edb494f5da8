import { db } from '../dynalite/dynalite.ts';

/** A path consists of attribute names and list indexes. A value has a form such as `{ S: … }`. */
type Path = (string | number)[];
type Argument = Path | Condition | Record<string, unknown>;
type Condition = { type: string; name?: string; args: Argument[] };
type Parsed = {
  _updates?: { sections: { type: string; path: Path }[] };
  _condition?: { expression: Condition };
  _filter?: { expression: Condition };
};

/**
 * Corrects parsed expressions that dynalite evaluates wrongly.
 * @throws ValidationException for those that cannot be corrected
 */
export function correctExpressions(data: Parsed): void {
  data._updates?.sections.sort(byRemovalOrder);
  for (const parsed of [data._condition, data._filter]) {
    if (!parsed) continue;
    refuseDocumentComparison(parsed.expression);
    parsed.expression = withPresentOperands(parsed.expression);
  }
}

/**
 * Indexes in a request refer to the list before the update, but dynalite removes elements one by one, so that each
 * removal shifts the later ones. Elements are therefore removed last, starting at the end of the list.
 */
function byRemovalOrder(left: { type: string; path: Path }, right: { type: string; path: Path }): number {
  return removedPosition(right) - removedPosition(left);
}

function removedPosition({ type, path }: { type: string; path: Path }): number {
  const last = path.at(-1);
  return type === 'remove' && typeof last === 'number' ? last : Number.MAX_SAFE_INTEGER;
}

/** dynalite treats all maps and lists as different, so a comparison could silently give a wrong result. */
function refuseDocumentComparison(condition: Condition): void {
  for (const argument of condition.args) {
    if (Array.isArray(argument)) continue;
    if ('args' in argument) refuseDocumentComparison(argument as Condition);
    else if (['=', '<>', 'in'].includes(condition.type) && ('M' in argument || 'L' in argument)) {
      throw db.validationError(`The embedded DynamoDB cannot compare maps or lists with ${condition.type}`);
    }
  }
}

/**
 * A comparison with an attribute that the item does not have is false, apart from `<>`. dynalite fails when that
 * attribute is not the first operand, and when `begins_with` compares maps or lists. So such operands are checked
 * before.
 */
function withPresentOperands(condition: Condition): Condition {
  const { type, name, args } = condition;
  if (['and', 'or', 'not'].includes(type)) {
    return { ...condition, args: args.map((argument) => withPresentOperands(argument as Condition)) };
  }
  const [first, ...others] = args;
  if (type === '<>' || !others.some(canBeAbsent)) return condition;
  if (type === 'in') {
    return others
      .map((other) => withPresentOperands({ type: '=', args: [first!, other] }))
      .reduce((left, right) => ({ type: 'or', args: [left, right] }));
  }
  const present = others
    .filter(canBeAbsent)
    .map((other): Condition => ({ type: 'function', name: 'attribute_exists', args: [other] }));
  const hasType = (of: 'S' | 'B'): Condition => ({
    type: 'function',
    name: 'attribute_type',
    args: [first!, { S: of }],
  });
  const text = name === 'begins_with' ? [{ type: 'or', args: [hasType('S'), hasType('B')] }] : [];
  return [...present, ...text].reduceRight<Condition>((right, left) => ({ type: 'and', args: [left, right] }), {
    type,
    ...(name && { name }),
    args,
  });
}

const canBeAbsent = (argument: Argument): boolean => Array.isArray(argument) || 'args' in argument;

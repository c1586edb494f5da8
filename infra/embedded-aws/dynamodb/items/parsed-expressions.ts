import db from 'dynalite/db/index.js';

/** A path is a list of names and list positions; a value is `{ S: … }` and the like. */
type Path = (string | number)[];
type Argument = Path | Condition | Record<string, unknown>;
type Condition = { type: string; name?: string; args: Argument[] };
type Parsed = {
  _updates?: { sections: { type: string; path: Path }[] };
  _condition?: { expression: Condition };
  _filter?: { expression: Condition };
};

/** Corrects, in place, what dynalite's evaluation of the parsed expressions gets wrong, or refuses it. */
export function correctExpressions(data: Parsed): void {
  data._updates?.sections.sort(byRemovalOrder);
  for (const parsed of [data._condition, data._filter]) {
    if (parsed) refuseDocumentComparison(parsed.expression);
  }
}

/**
 * dynalite takes list elements out one by one, so that each removal shifts the next one's position. Positions in a
 * request mean the list as it was: elements go last, from the end of the list.
 */
function byRemovalOrder(left: { type: string; path: Path }, right: { type: string; path: Path }): number {
  return removedPosition(right) - removedPosition(left);
}

function removedPosition({ type, path }: { type: string; path: Path }): number {
  const last = path.at(-1);
  return type === 'remove' && typeof last === 'number' ? last : Number.MAX_SAFE_INTEGER;
}

/** dynalite finds no two maps or lists equal, so a wrong answer would go unnoticed. */
function refuseDocumentComparison(condition: Condition): void {
  for (const argument of condition.args) {
    if (Array.isArray(argument)) continue;
    if ('args' in argument) refuseDocumentComparison(argument as Condition);
    else if (['=', '<>', 'in'].includes(condition.type) && ('M' in argument || 'L' in argument)) {
      throw db.validationError(`The embedded DynamoDB cannot compare maps or lists with ${condition.type}`);
    }
  }
}

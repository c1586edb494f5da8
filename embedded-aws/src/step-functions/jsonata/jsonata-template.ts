import { StateFailure } from '../execution/state-failure.ts';
import { type Bindings, evaluateExpression, isExpression } from './jsonata-expression.ts';

/**
 * Evaluates all expressions in a template. `field` names it in errors.
 * @throws StateFailure States.QueryEvaluationError, also when an expression returns nothing or a function
 */
export async function evaluateTemplate(template: unknown, bindings: Bindings, field: string): Promise<unknown> {
  if (isExpression(template)) return evaluateLeaf(template, bindings, field);
  if (Array.isArray(template)) {
    const items: unknown[] = [];
    for (const [index, item] of template.entries()) {
      items.push(await evaluateTemplate(item, bindings, `${field}[${index}]`));
    }
    return items;
  }
  if (typeof template !== 'object' || template === null) return template;
  const object: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(template)) {
    object[key] = await evaluateTemplate(value, bindings, `${field}/${key}`);
  }
  return object;
}

async function evaluateLeaf(text: string, bindings: Bindings, field: string): Promise<unknown> {
  const subject = `The JSONata expression '${text.slice(2, -2).trim()}' specified for the field '${field}'`;
  let value: unknown;
  try {
    value = await evaluateExpression(text, bindings);
  } catch (error) {
    throw new StateFailure('States.QueryEvaluationError', `${subject} threw an error. ${(error as Error).message}`);
  }
  if (value === undefined) {
    throw new StateFailure('States.QueryEvaluationError', `${subject} returned nothing (undefined).`);
  }
  if (!isJson(value)) {
    throw new StateFailure('States.QueryEvaluationError', `${subject} returned an unsupported result type.`);
  }
  return value;
}

/** Functions of JSONata are objects with circular references. */
function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

/** Evaluates a template to a number from `least` to `most`. @throws StateFailure States.QueryEvaluationError */
export async function evaluateNumber(
  template: unknown,
  bindings: Bindings,
  field: string,
  [least, most]: [number, number],
): Promise<number> {
  const value = await evaluateTemplate(template, bindings, field);
  if (typeof value === 'number' && value >= least && value <= most) return value;
  throw new StateFailure(
    'States.QueryEvaluationError',
    `The field '${field}' must be a number from ${least} to ${most}, not ${JSON.stringify(value)}.`,
  );
}

/** The same for the fields that Step Functions accepts whole numbers in: all except percentages. */
export async function evaluateInteger(
  template: unknown,
  bindings: Bindings,
  field: string,
  range: [number, number],
): Promise<number> {
  const value = await evaluateNumber(template, bindings, field, range);
  if (Number.isInteger(value)) return value;
  throw new StateFailure('States.QueryEvaluationError', `The field '${field}' must be an integer, not ${value}.`);
}

import jsonata from 'jsonata';
import { serviceFunctions } from './jsonata-functions.ts';

/** Names without the dollar sign: `states` and the variables in scope. */
export type Bindings = Record<string, unknown>;

const EXPRESSION = /^\{%([\s\S]*)%\}$/;
// A definition that never ends must not take the process with it.
const LIMITS = { timeout: 5_000, stack: 1_000 };

const compiled = new Map<string, jsonata.Expression>();

export function isExpression(value: unknown): value is string {
  return typeof value === 'string' && EXPRESSION.test(value);
}

/** Compiles `{% … %}`. Throws JSONata's error for bad syntax. */
export function compileExpression(text: string): jsonata.Expression {
  const known = compiled.get(text);
  if (known) return known;
  const expression = jsonata(EXPRESSION.exec(text)?.[1] ?? text, LIMITS);
  compiled.set(text, expression);
  return expression;
}

/** Evaluates `{% … %}`; undefined when it yields nothing. Throws an Error with JSONata's message. */
export async function evaluateExpression(text: string, bindings: Bindings): Promise<unknown> {
  try {
    return await compileExpression(text).evaluate(undefined, { ...serviceFunctions, ...bindings });
  } catch (thrown) {
    // JSONata throws plain objects.
    const { message, code } = thrown as { message?: string; code?: string };
    throw new Error(`${code ? `${code}: ` : ''}${message ?? String(thrown)}`);
  }
}

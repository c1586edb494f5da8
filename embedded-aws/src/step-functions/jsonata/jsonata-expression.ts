import jsonata from 'jsonata';
import { serviceFunctions } from './jsonata-functions.ts';

/** Variables of JSONata without the dollar sign: `states` and the variables in scope. */
export type Bindings = Record<string, unknown>;

const EXPRESSION = /^\{%([\s\S]*)%\}$/;
// An endless expression must not block the process.
const LIMITS = { timeout: 5_000, stack: 1_000 };

const compiled = new Map<string, jsonata.Expression>();

export function isExpression(value: unknown): value is string {
  return typeof value === 'string' && EXPRESSION.test(value);
}

/** Compiles `{% … %}`. @throws the error of JSONata for a syntax error */
export function compileExpression(text: string): jsonata.Expression {
  const known = compiled.get(text);
  if (known) return known;
  const expression = jsonata(EXPRESSION.exec(text)?.[1] ?? text, LIMITS);
  compiled.set(text, expression);
  return expression;
}

/** Evaluates `{% … %}`. Undefined when the expression has no result. @throws Error with the message of JSONata */
export async function evaluateExpression(text: string, bindings: Bindings): Promise<unknown> {
  try {
    return await compileExpression(text).evaluate(undefined, { ...serviceFunctions, ...bindings });
  } catch (thrown) {
    // JSONata throws plain objects.
    const { message, code } = thrown as { message?: string; code?: string };
    throw new Error(`${code ? `${code}: ` : ''}${message ?? String(thrown)}`);
  }
}

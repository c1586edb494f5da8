import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { evaluateExpression } from 'embedded-aws/testing';
import type { Outcome, Service } from './compare.ts';
import { expressions } from './jsonata-expressions.ts';

/** What evaluates an expression. */
export type Evaluator = { evaluate(expression: string): Promise<Outcome>; stop(): Promise<void> };

/** That of the embedded Step Functions. Texts of errors are those of a library, so they are not compared. */
export const embeddedEvaluator: Evaluator = {
  async evaluate(expression) {
    try {
      return { result: JSON.parse(JSON.stringify(await evaluateExpression(expression))) };
    } catch (error) {
      const { errorCause = '' } = error as { errorCause?: string };
      return errorCause.includes('returned nothing') ? {} : { error: 'fails' };
    }
  },
  stop: async () => {},
};

/** That of a library of Python, in a process of it. */
export function startPython(python: string): Evaluator {
  const child = spawn(python, [join(import.meta.dirname, 'evaluate-jsonata.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async evaluate(expression) {
      child.stdin.write(`${JSON.stringify(expression)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error('The process of the reference ended.');
      return JSON.parse(value);
    },
    async stop() {
      child.stdin.end();
    },
  };
}

export const jsonata: Service<Evaluator, string> = {
  sequence: expressions.map((one) => [one]),
  last: [],
  nameOf: (expression) =>
    /; (.*)\)$/s
      .exec(expression)![1]!
      .replace(/[^$a-zA-Z(]/g, '')
      .slice(0, 30),
  clear: async () => {},
  send: ({ evaluate }, expression) => evaluate(expression),
  isKnown: () => false,
};

import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { RuleDefinition } from '../template/read-rules.ts';

const states = z.record(z.string(), z.boolean());

/** Which rules are enabled: as the template says, until somebody turned one off or on. That is kept in `file`, over restarts. */
export async function openRuleStates(file: string, rules: readonly RuleDefinition[]) {
  const turned = new Map(Object.entries(await readStates(file)));
  let written = Promise.resolve();
  const write = async (): Promise<void> => {
    await writeFile(`${file}.new`, JSON.stringify(Object.fromEntries(turned)), { flush: true });
    await rename(`${file}.new`, file);
  };
  return {
    isEnabled: (name: string): boolean =>
      turned.get(name) ?? rules.find((rule) => rule.name === name)?.enabled ?? false,

    /** Several at a time are written one after the other, the last with all of them. */
    turn(name: string, enabled: boolean): Promise<void> {
      turned.set(name, enabled);
      const own = written.then(write);
      written = own.catch(() => {});
      return own;
    },
  };
}

export type RuleStates = Awaited<ReturnType<typeof openRuleStates>>;

async function readStates(file: string): Promise<Record<string, boolean>> {
  try {
    return states.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Error(`${file} does not hold the states of rules`, { cause: error });
  }
}

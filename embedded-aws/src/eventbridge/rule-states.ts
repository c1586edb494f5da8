import { z } from 'zod';
import { readJson, writeWhole } from '../durable/whole-file.ts';
import type { RuleDefinition } from '../template/read-rules.ts';

const states = z.record(z.string(), z.boolean());

/**
 * Which rules are enabled: initially as in the template, later as EnableRule and DisableRule set it. The changes are
 * kept in `file`.
 */
export async function openRuleStates(file: string, rules: readonly RuleDefinition[]) {
  const changed = new Map(Object.entries((await readJson(file, states.parse)) ?? {}));
  let written = Promise.resolve();
  const write = (): Promise<void> => writeWhole(file, JSON.stringify(Object.fromEntries(changed)));
  return {
    isEnabled: (name: string): boolean =>
      changed.get(name) ?? rules.find((rule) => rule.name === name)?.enabled ?? false,

    /** Concurrent changes are written one after the other. */
    setEnabled(name: string, enabled: boolean): Promise<void> {
      changed.set(name, enabled);
      const own = written.then(write);
      written = own.catch(() => {});
      return own;
    },
  };
}

export type RuleStates = Awaited<ReturnType<typeof openRuleStates>>;

import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { RuleDefinition } from '../template/read-rules.ts';

const states = z.record(z.string(), z.boolean());

/**
 * Which rules are enabled: initially as in the template, later as EnableRule and DisableRule set it. The changes are
 * kept in `file`.
 */
export async function openRuleStates(file: string, rules: readonly RuleDefinition[]) {
  const changed = new Map(Object.entries(await readStates(file)));
  let written = Promise.resolve();
  const write = async (): Promise<void> => {
    await writeFile(`${file}.new`, JSON.stringify(Object.fromEntries(changed)), { flush: true });
    await rename(`${file}.new`, file);
  };
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

async function readStates(file: string): Promise<Record<string, boolean>> {
  try {
    return states.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Error(`${file} does not contain valid states of rules`, { cause: error });
  }
}

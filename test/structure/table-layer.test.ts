import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { importsOf, modules, within } from './modules.ts';

const functions = modules.filter(within('functions'));
const inTable = within('functions/table');
/** Modules that build writes, keys and expressions. Only the table layer may use them. */
const isPrivate = within('functions/table/items', 'functions/table/writes');
const read = (path: string): string => readFileSync(path, 'utf8');

describe('the table layer', () => {
  test('keeps its writes, keys and expressions to itself: other folders call its commands and queries', () => {
    const violations = functions
      .filter((path) => !inTable(path))
      .flatMap((path) =>
        importsOf(path)
          .filter(isPrivate)
          .map((name) => `${path} imports ${name}`),
      );
    expect(violations).toEqual([]);
  });

  test('offers no module that exports a write', () => {
    const offered = functions.filter((path) => inTable(path) && !isPrivate(path));
    const exported = /^export (?:async )?(?:const|function) \w+[^;{]*?\)(?:: | => )(?:Promise<)?Write\b/m;
    expect(offered.filter((path) => exported.test(read(path)))).toEqual([]);
  });

  test('makes and reads keys in three modules only', () => {
    const keyModules = ['keys', 'queue-keys', 'due-keys'].map((name) => `functions/table/items/${name}.ts`);
    const makesKeys = /`[^`\n]*(?:\}#|#\$\{)[^`\n]*`|split\('#'\)|ownerKey: `/;
    const hasPrefix = /[`'](?:[A-Z_]+|all)#/;
    const others = functions.filter((path) => !keyModules.includes(path));
    expect(others.filter((path) => inTable(path) && makesKeys.test(read(path)))).toEqual([]);
    expect(others.filter((path) => hasPrefix.test(read(path)))).toEqual([]);
  });

  test('changes a status only from the statuses that the transition table allows', () => {
    const updates = functions
      .filter(inTable)
      .flatMap((path) => updatesIn(read(path)).map((update) => ({ path, ...update })));
    expect(updates.length).toBeGreaterThan(20);
    const setsStatus = updates.filter(({ set }) => /\bstatus\b/.test(set));
    expect(setsStatus.length).toBeGreaterThan(7);
    const unchecked = setsStatus.filter(({ text }) => !text.includes('statusesBefore('));
    expect(unchecked.map(({ path, set }) => `${path}: ${set}`)).toEqual([]);
  });
});

/** Updates of videos, streams, outputs and jobs: the text of each, and what it sets. */
function updatesIn(source: string): { text: string; set: string }[] {
  return [...source.matchAll(/\{\s*update: keys\.(?:video|streams|outputs|job)\(/g)].map(({ index }) => {
    const text = balanced(source, index);
    const setAt = text.search(/\bset: /);
    if (setAt < 0) return { text, set: '' };
    const braceAt = text.slice(setAt).search(/[{(]/) + setAt;
    return { text, set: balanced(text, braceAt) };
  });
}

/** The text from an opening bracket to the one that closes it. */
function balanced(source: string, start: number): string {
  let depth = 0;
  for (let at = start; at < source.length; at++) {
    if ('{(['.includes(source[at]!)) depth++;
    else if ('})]'.includes(source[at]!) && --depth === 0) return source.slice(start, at + 1);
  }
  throw new Error(`no bracket closes the one at ${start}`);
}

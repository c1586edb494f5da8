import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repositoryRoot } from '../../../infra/repository-root.ts';
import { itemAccess, readers } from '../../../tools/table-access/item-access.ts';

/** What code behind the table of key builders reaches. */
function reached(code: string) {
  const { read, write, indexes } = itemAccess(`
    const keys = {
      templateCounts: (ulid) => ({ pk: \`TEMPLATE#\${ulid}\`, sk: 'COUNTS' }),
      video: (ulid) => ({ pk: \`VIDEO#\${ulid}\`, sk: 'VIDEO' }),
      launches: () => ({ pk: 'LAUNCHES', sk: 'LAUNCHES' }),
      jobs: (ulid) => \`JOBS#\${ulid}\`,
      job: (id) => ({ pk: keys.jobs(id.ulid), sk: id.kind }),
      id: (kind, id) => ({ pk: \`ID#\${kind}#\${id}\`, sk: 'ID' }),
    };
    async function run() { ${code} }`);
  return { read: [...read], write: [...write], indexes: [...indexes] };
}

describe('the items that code reaches', () => {
  test('are those whose keys arrive at a read or a write, through variables, parameters and results', () => {
    expect(reached('getItem(schema, keys.video(ulid));').read).toEqual(['VIDEO#']);
    expect(reached('const key = keys.job(id); for (const one of [key]) write({ update: one });').write).toEqual([
      'JOBS#',
    ]);
    expect(reached('const load = (key) => getItem(schema, key); load(keys.launches());').read).toEqual(['LAUNCHES']);
    expect(reached('function make() { return { put: { ...keys.video(ulid), title } }; }').write).toEqual(['VIDEO#']);
    expect(reached('const all = ulids.map((ulid) => keys.video(ulid)); getItems(all);').read).toEqual(['VIDEO#']);
    expect(reached('const all = ulids.map(keys.video); getItems(all);').read).toEqual(['VIDEO#']);
    expect(reached('write({ sum: { keyOf: () => keys.launches() } });').write).toEqual(['LAUNCHES']);
    expect(reached('transact([{ check: keys.video(ulid) }, { delete: keys.launches() }]);')).toMatchObject({
      read: ['VIDEO#'],
      write: ['LAUNCHES'],
    });
  });

  test('are no others: not of keys that are made only, nor of declarations of routes', () => {
    const nothing = { read: [], write: [], indexes: [] };
    expect(reached('keys.video(ulid);')).toEqual(nothing);
    expect(reached('const routes = { update: { operationId: name, key: keys.video(ulid) } };')).toEqual(nothing);
  });

  test('have the kind in their partition keys where the code names it', () => {
    expect(reached("const take = (kind) => write({ update: keys.id(kind, 1) }); take('stream');").write).toEqual([
      'ID#stream#',
    ]);
    expect(() => reached('write({ update: keys.id(settings.kind, 1) });')).toThrow(
      'the kind in a call of keys.id is not known: pass it as a literal text',
    );
  });

  test('are found through an index and written by the key of the entry', () => {
    expect(
      reached("for (const item of await queryIndex('byOwner', listKey(ulid, 'video'))) write({ update: item });"),
    ).toEqual({ read: [], write: ['VIDEO#'], indexes: ['byOwner'] });
    expect(reached("for await (const page of duePages(['reservation'])) write({ delete: page[0] });")).toEqual({
      read: [],
      write: ['QUOTA#'],
      indexes: ['due'],
    });
    // The values of an item in a put: the key is made anew.
    const copy = 'const [item] = await queryItems(keys.jobs(ulid)); write({ put: { ...item, ...keys.video(ulid) } });';
    expect(reached(copy)).toEqual({ read: ['JOBS#'], write: ['VIDEO#'], indexes: [] });
  });
});

test('every function of the table layer that reads is known', () => {
  const files = globSync('functions/table/items/*.ts', { cwd: repositoryRoot });
  const exported = files.flatMap((file) => {
    const code = readFileSync(join(repositoryRoot, file), 'utf8');
    return [
      ...code.matchAll(/^export (?:const|(?:async )?function\*?) ((?:get|query|count|first|range|due)[A-Z]\w+)/gm),
    ];
  });
  const reading = exported.map(([, name]) => name!).filter((name) => /Items?$|Pages|Range|Index|Due|^query/.test(name));
  // `queryPages` is called by these only, and `queryListPart` by `queryIndex`.
  const known = [...Object.values(readers).flat(), 'queryPages', 'queryListPart'];
  expect(reading.toSorted()).toEqual(known.toSorted());
});

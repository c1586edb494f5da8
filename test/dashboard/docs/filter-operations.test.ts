import { expect, test } from 'vitest';
import { filterOperations } from '../../../dashboard/docs/filter-operations.ts';

type Tags = Parameters<typeof filterOperations>[0];
type Operation = { path: string; method: string; operation: Record<string, string> };

/** A stand-in for the collections of Swagger UI. */
const tagsOf = (tags: Record<string, Operation[]>): Tags & { names(): Record<string, string[]> } => ({
  map: (change) =>
    tagsOf(
      Object.fromEntries(
        Object.entries(tags).map(([name, operations]) => [name, listOf(change(tagOf(operations), name))]),
      ),
    ),
  filter: (keep) =>
    tagsOf(Object.fromEntries(Object.entries(tags).filter(([, operations]) => keep(tagOf(operations))))),
  names: () => Object.fromEntries(Object.entries(tags).map(([name, all]) => [name, all.map(({ path }) => path)])),
});
type Tag = Parameters<Parameters<Tags['map']>[0]>[0];
const listOf = (tag: Tag) => (tag as unknown as { list: Operation[] }).list;
const tagOf = (list: Operation[]): Tag =>
  ({
    list,
    get: () => ({
      size: list.length,
      filter: (keep: (operation: unknown) => boolean) =>
        list.filter((one) =>
          keep({ get: (key: 'path') => one[key], getIn: ([, key]: string[]) => one.operation[key!] }),
        ),
    }),
    set: (_: string, operations: Operation[]) => tagOf(operations),
  }) as unknown as Tag;

const operation = (method: string, path: string, summary: string, operationId: string) => ({
  method,
  path,
  operation: { summary, operationId },
});
const tags = tagsOf({
  Videos: [
    operation('get', '/api/videos', 'Videos of the caller', 'listVideos'),
    operation('put', '/api/videos/{ulid}/captions/{language}', 'Store captions', 'storeCaptions'),
  ],
  Embedding: [operation('post', '/api/embed-tokens', 'A code for pages', 'createEmbedToken')],
});
const shown = (phrase: string) => (filterOperations(tags, phrase) as typeof tags).names();

test.each([
  ['captions', { Videos: ['/api/videos/{ulid}/captions/{language}'] }],
  ['CODE for', { Embedding: ['/api/embed-tokens'] }],
  ['listvid', { Videos: ['/api/videos'] }],
  ['get videos', { Videos: ['/api/videos'] }],
  ['embedding', { Embedding: ['/api/embed-tokens'] }],
  ['nothing', {}],
])('"%s" finds operations by tag, path, method, summary and id', (phrase, found) => {
  expect(shown(phrase)).toEqual(found);
});

import jsonata from 'jsonata';
import { expect, test } from 'vitest';
import { settingsOf } from '../../../infra/settings.ts';
import { pipelineDefinition } from '../../../infra/state-machine/definition.ts';
import { pipelineFunctions } from '../../../infra/state-machine/pipeline-functions.ts';
import type { ListedChunk, PlanResult } from '../../../shared/protocol/plan-result.ts';

const arns = Object.fromEntries(
  pipelineFunctions.map((name) => [name, `arn:aws:lambda:eu-west-1:123456789012:function:${name}`]),
) as Parameters<typeof pipelineDefinition>[0]['arns'];
const definition = JSON.stringify(pipelineDefinition({ ...settingsOf('dev'), partition: 'aws', arns }));

const chunk = { group: 0, index: 1 } satisfies Required<ListedChunk>;
const list = { bucket: 'store', key: 'chunks.json', count: 1 };
const result = {
  chunks: list,
  waitingChunks: { ...list, key: 'waiting.json' },
  isMeasured: true,
  audio: [{ index: 0 }],
  thumbnails: true,
  captions: true,
  outputs: [{ outputUlid: '01A', remux: true, parts: [chunk] }],
} satisfies Required<PlanResult>;

/** The paths that expressions of the definition read of a variable, such as `chunks.count`. */
const readOf = (variable: string): string[] => [
  ...new Set([...definition.matchAll(new RegExp(`\\$${variable}\\.([\\w.]+)`, 'g'))].map(([, path]) => path!)),
];

/** The paths of a value down to what is not an object; lists are read as a whole. */
const pathsOf = (value: object): string[] =>
  Object.entries(value).flatMap(([key, one]) =>
    typeof one === 'object' && !Array.isArray(one) ? pathsOf(one).map((path) => `${key}.${path}`) : [key],
  );

test('the states read of the plan what the function returns, and all of it', async () => {
  const read = readOf('plan');
  for (const path of read) expect(await jsonata(path).evaluate(result), path).toBeDefined();
  expect(read.toSorted()).toEqual(pathsOf(result).toSorted());
});

test('the maps over lists of chunks read what a list has', async () => {
  expect(readOf('states.context.Map.Item.Value').toSorted()).toEqual(pathsOf(chunk));
});

type Map = { Items: string; ItemProcessor: { States: Record<string, object> } };

/** All maps of the definition, those within others as well. */
const mapsIn = (value: unknown): Map[] =>
  typeof value !== 'object' || value === null
    ? []
    : [
        ...('ItemProcessor' in value && 'Items' in value ? [value as Map] : []),
        ...Object.values(value).flatMap(mapsIn),
      ];

/** What the states of a map read of its item, apart from those of maps within it. */
function readOfItem({ ItemProcessor }: Map): string[] {
  const text = JSON.stringify(ItemProcessor, (key, value) =>
    key === 'ItemProcessor' && value !== ItemProcessor ? undefined : value,
  );
  const keys = [...text.matchAll(/\$states\.input\.(\w+)/g)].map(([, key]) => key!);
  // A state that catches an error adds it to its input.
  return [...new Set(keys)].filter((key) => key !== 'error').toSorted();
}

test.each([
  ['[$plan.audio]', result.audio[0]!],
  ['[$plan.outputs]', result.outputs[0]!],
  ['[$states.input.parts]', chunk],
])('the map over %s reads what an item has, and all of it', (items, item) => {
  const found = mapsIn(JSON.parse(definition)).filter(({ Items }) => Items === `{% ${items} %}`);
  expect(found.map(readOfItem)).toEqual([Object.keys(item).toSorted()]);
});

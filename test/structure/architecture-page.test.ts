import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  ingestTransitions,
  jobTransitions,
  nodeTransitions,
  outputTransitions,
  storageDeliveryTransitions,
  streamTransitions,
  videoTransitions,
} from '../../functions/contracts/statuses.ts';

type Transitions = Readonly<Record<string, readonly string[]>>;

const page = readFileSync(join(import.meta.dirname, '../../docs/architecture.md'), 'utf8');

/** The transitions of the state diagram below a heading, such as `pending --> running`. */
function drawnTransitions(heading: string): string[] {
  const [, diagram] = new RegExp(`^### ${heading}$.*?^stateDiagram-v2$(.*?)^\`\`\`$`, 'ms').exec(page) ?? [];
  if (!diagram) throw new Error(`docs/architecture.md has no state diagram below ${heading}`);
  return [...diagram.matchAll(/^ {2}(\w+) --> (\w+)/gm)].map(([, from, to]) => `${from} --> ${to}`);
}

test.each([
  ['Video', videoTransitions],
  ['Output', outputTransitions],
  ['Stream', streamTransitions],
  ['Job', jobTransitions],
  ['Ingest', ingestTransitions],
  ['Storage delivery', storageDeliveryTransitions],
  ['Node', nodeTransitions],
] satisfies [string, Transitions][])('docs/architecture.md draws the transitions of a %s', (heading, table) => {
  const transitions = Object.entries<readonly string[]>(table).flatMap(([from, targets]) =>
    targets.map((to) => `${from} --> ${to}`),
  );
  expect(drawnTransitions(heading).toSorted()).toEqual(transitions.toSorted());
});

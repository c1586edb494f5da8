import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningDynamo, startDynamo } from './dynamo-server.ts';

const TableName = 'things';
let dynamo: RunningDynamo;
let runs = 0;

beforeAll(async () => {
  dynamo = await startDynamo();
});
afterAll(() => dynamo.stop());

/** The model: items by sort key, changed by steps that may fail. */
type Item = { n?: number; owner?: string };
type Model = Map<string, Item>;
type Step = {
  sk: string;
  kind: 'put' | 'add' | 'own' | 'disown' | 'delete' | 'check';
  n: number;
  owner: string;
  guard: Guard;
};
type Guard = 'none' | 'exists' | 'absent' | 'positive';

const step: fc.Arbitrary<Step> = fc.record({
  sk: fc.constantFrom('a', 'b', 'c', 'd'),
  kind: fc.constantFrom('put', 'add', 'own', 'disown', 'delete', 'check'),
  n: fc.integer({ min: -3, max: 3 }),
  owner: fc.constantFrom('ann', 'bob'),
  guard: fc.constantFrom('none', 'exists', 'absent', 'positive'),
});
/** One step is a single write, several are a transaction. */
const request = fc.uniqueArray(step, { selector: ({ sk }) => sk, minLength: 1, maxLength: 4 });

function holds(item: Item | undefined, { guard }: Step): boolean {
  if (guard === 'exists') return item !== undefined;
  if (guard === 'absent') return item === undefined;
  if (guard === 'positive') return (item?.n ?? 0) > 0;
  return true;
}

function applyStep(model: Model, { sk, kind, n, owner }: Step): void {
  const item = model.get(sk) ?? {};
  const { owner: _, ...unowned } = item;
  if (kind === 'put') model.set(sk, { n, owner });
  if (kind === 'add') model.set(sk, { ...item, n: (item.n ?? 0) + n });
  if (kind === 'own') model.set(sk, { ...item, owner });
  if (kind === 'disown') model.set(sk, unowned);
  if (kind === 'delete') model.delete(sk);
}

function applyRequest(model: Model, steps: Step[]): boolean[] {
  const results = steps.map((step) => holds(model.get(step.sk), step));
  if (results.every(Boolean)) for (const step of steps) applyStep(model, step);
  return results;
}

const conditions: Record<Guard, string | undefined> = {
  none: undefined,
  exists: 'attribute_exists(pk)',
  absent: 'attribute_not_exists(pk)',
  positive: 'n > :zero',
};

function inputOf(pk: string, { sk, kind, n, owner, guard }: Step) {
  const updates: Record<string, string> = { add: 'ADD n :n', own: 'SET #o = :o', disown: 'REMOVE #o' };
  const values = {
    ...(guard === 'positive' && { ':zero': 0 }),
    ...(kind === 'add' && { ':n': n }),
    ...(kind === 'own' && { ':o': owner }),
  };
  return {
    TableName,
    ...(kind === 'put' ? { Item: { pk, sk, n, owner: `${pk}-${owner}` } } : { Key: { pk, sk } }),
    ...(updates[kind] && { UpdateExpression: updates[kind] }),
    ...(conditions[guard] && { ConditionExpression: conditions[guard] }),
    ...(Object.keys(values).length > 0 && {
      ExpressionAttributeValues: { ...values, ...(kind === 'own' && { ':o': `${pk}-${owner}` }) },
    }),
    ...(updates[kind]?.includes('#o') && { ExpressionAttributeNames: { '#o': 'owner' } }),
  };
}

/** Sends the request and returns for each step whether its condition held. */
async function send(pk: string, steps: Step[]): Promise<boolean[]> {
  const { documents } = dynamo;
  const [only] = steps;
  try {
    if (steps.length === 1 && only!.kind !== 'check') {
      const input = inputOf(pk, only!) as never;
      if (only!.kind === 'put') await documents.put(input);
      else if (only!.kind === 'delete') await documents.delete(input);
      else await documents.update(input);
    } else {
      const names = {
        put: 'Put',
        delete: 'Delete',
        check: 'ConditionCheck',
        add: 'Update',
        own: 'Update',
        disown: 'Update',
      };
      await documents.transactWrite({
        TransactItems: steps.map((step) => ({ [names[step.kind]]: inputOf(pk, step) })),
      });
    }
    return steps.map(() => true);
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return [false];
    if (error instanceof TransactionCanceledException) {
      return error.CancellationReasons!.map(({ Code }) => Code === 'None');
    }
    throw error;
  }
}

async function itemsBy(condition: {
  IndexName?: string;
  name: string;
  value: string;
}): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await dynamo.documents.query({
    TableName,
    ...(condition.IndexName && { IndexName: condition.IndexName }),
    KeyConditionExpression: '#name = :value',
    ExpressionAttributeNames: { '#name': condition.name },
    ExpressionAttributeValues: { ':value': condition.value },
  });
  return Items;
}

test('any sequence of writes and transactions has the same result as a simple model, including indexes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 12 }), async (requests) => {
      const pk = `run-${++runs}`;
      const model: Model = new Map();
      for (const steps of requests) {
        const checked = steps.map((step) =>
          step.kind === 'check' && step.guard === 'none' ? { ...step, guard: 'exists' as const } : step,
        );
        expect(await send(pk, checked)).toEqual(applyRequest(model, checked));
      }
      const expected = [...model]
        .sort()
        .map(([sk, { owner, ...rest }]) => ({ pk, sk, ...rest, ...(owner && { owner: `${pk}-${owner}` }) }));
      expect(await itemsBy({ name: 'pk', value: pk })).toEqual(expected);
      for (const owner of ['ann', 'bob'].map((name) => `${pk}-${name}`)) {
        const owned = await itemsBy({ IndexName: 'by-owner', name: 'owner', value: owner });
        expect(owned).toEqual(expected.filter((item) => item.owner === owner).map(({ sk }) => ({ pk, sk, owner })));
      }
    }),
    { numRuns: 100 },
  );
});

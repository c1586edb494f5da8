import * as sdk from '@aws-sdk/client-dynamodb';
import * as fc from 'fast-check';
import { keys, type Request, request, TableName, table } from './dynamodb-requests.ts';
import { isKnown } from './known-differences.ts';

export type Target = { name: string; client: sdk.DynamoDBClient };
const commands = {
  BatchGetItem: sdk.BatchGetItemCommand,
  BatchWriteItem: sdk.BatchWriteItemCommand,
  DeleteItem: sdk.DeleteItemCommand,
  GetItem: sdk.GetItemCommand,
  PutItem: sdk.PutItemCommand,
  Query: sdk.QueryCommand,
  Scan: sdk.ScanCommand,
  TransactGetItems: sdk.TransactGetItemsCommand,
  TransactWriteItems: sdk.TransactWriteItemsCommand,
  UpdateItem: sdk.UpdateItemCommand,
};

/** What a target answered: a result, or the name of an error with the reasons of a cancelled transaction. */
type Outcome = { result?: unknown; error?: string };
export type Difference = { sequence: Request[]; of: Request; outcomes: Record<string, Outcome>; signature: string };

/** @throws when the table exists */
export async function createTable({ client }: Target): Promise<void> {
  await client.send(new sdk.CreateTableCommand({ TableName, BillingMode: 'PAY_PER_REQUEST', ...table }));
}

async function clear({ client }: Target): Promise<void> {
  const requests = keys.map((Key) => ({ DeleteRequest: { Key } }));
  await client.send(new sdk.BatchWriteItemCommand({ RequestItems: { [TableName]: requests } }));
}

async function send({ client }: Target, { operation, input }: Request): Promise<Outcome> {
  const Command = commands[operation] as new (of: unknown) => sdk.ScanCommand;
  try {
    const { $metadata, ConsumedCapacity, ...result } = await client.send(new Command(input));
    return { result: ordered(result, isOrdered({ operation, input })) };
  } catch (error) {
    const { name, CancellationReasons: reasons, Item } = error as sdk.TransactionCanceledException & { Item?: unknown };
    if (!reasons) return { error: name, ...(Item !== undefined && { result: ordered(Item, true) }) };
    return {
      error: `${name} ${reasons.map(({ Code }) => Code)}`,
      result: reasons.map((reason) => reason.Item ?? null),
    };
  }
}

/** AWS defines the order of the items of a query, except of those that have the same key in an index. */
const isOrdered = ({ operation, input }: Request): boolean => operation === 'Query' && input.IndexName === undefined;

/** The same value for results that differ only in the order of members, of sets, and of items without an order. */
function ordered(value: unknown, itemsAreOrdered: boolean, member = ''): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) {
    const members = value.map((one) => ordered(one, itemsAreOrdered));
    const isSet = ['SS', 'NS', 'BS'].includes(member) || (!itemsAreOrdered && ['Items', TableName].includes(member));
    return isSet ? members.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : members;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, ordered(one, itemsAreOrdered, name)]),
  );
}

const same = (one: Outcome, other: Outcome): boolean => JSON.stringify(one) === JSON.stringify(other);
const kindOf = ({ error }: Outcome): string => error ?? 'a result';

/** Sends the requests to all targets. @returns the first difference from the first target that is not known */
async function firstDifference(targets: Target[], sequence: Request[]): Promise<Difference | undefined> {
  await Promise.all(targets.map(clear));
  for (const of of [...sequence, { operation: 'Scan', input: { TableName } } as const]) {
    const all = await Promise.all(targets.map((target) => send(target, of)));
    const [ours, ...theirs] = all as [Outcome, ...Outcome[]];
    const differing = theirs.flatMap((outcome, index) =>
      same(ours, outcome) ? [] : [{ name: targets[index + 1]!.name, outcome }],
    );
    if (differing.length === 0) continue;
    const unknown = differing.filter(({ name, outcome }) => !isKnown(name, of, { ours, theirs: outcome }));
    // From here on, the states of the targets may differ.
    if (unknown.length === 0) return undefined;
    return {
      sequence,
      of,
      outcomes: Object.fromEntries(targets.map(({ name }, index) => [name, all[index]!])),
      signature: `${of.operation}: ${kindOf(ours)}, ${unknown.map(({ name, outcome }) => `${name} ${kindOf(outcome)}`)}`,
    };
  }
  return undefined;
}

type Options = { targets: Target[]; sequences: number; seed: number; report: (difference: Difference) => void };

/** Finds differences of the first target from the others, and reduces each to few requests. @returns their number */
export async function compareDynamodb({ targets, sequences, seed, report }: Options): Promise<number> {
  const reported = new Set<string>();
  for (let left = sequences; left > 0; ) {
    let found: Difference | undefined;
    const property = fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 8 }), async (sequence) => {
      const difference = await firstDifference(targets, sequence);
      if (!difference || reported.has(difference.signature)) return true;
      if (found && found.signature !== difference.signature) return true;
      found = difference;
      return false;
    });
    const { numRuns } = await fc.check(property, { numRuns: left, seed: seed + left, endOnFailure: false });
    left -= numRuns;
    if (!found) continue;
    reported.add(found.signature);
    report(found);
  }
  return reported.size;
}

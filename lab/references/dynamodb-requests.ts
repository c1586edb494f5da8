import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as fc from 'fast-check';

export type Input = Record<string, unknown>;
export type Request = { operation: Operation; input: Input };
export type Operation =
  | 'BatchGetItem'
  | 'BatchWriteItem'
  | 'DeleteItem'
  | 'GetItem'
  | 'PutItem'
  | 'Query'
  | 'Scan'
  | WriteOrTransaction;
type WriteOrTransaction = 'TransactGetItems' | 'TransactWriteItems' | 'UpdateItem';

export const TableName = 'things';
const attribute = (AttributeName: string, AttributeType: 'S' | 'N') => ({ AttributeName, AttributeType });
const keySchema = (hash: string, range: string) => [
  { AttributeName: hash, KeyType: 'HASH' as const },
  { AttributeName: range, KeyType: 'RANGE' as const },
];
const index = (IndexName: string, range: string, ProjectionType: 'ALL' | 'KEYS_ONLY') => ({
  IndexName,
  KeySchema: keySchema('owner', range),
  Projection: { ProjectionType },
});

export const table = {
  KeySchema: keySchema('pk', 'sk'),
  AttributeDefinitions: [attribute('pk', 'S'), attribute('sk', 'S'), attribute('owner', 'S'), attribute('rank', 'N')],
  GlobalSecondaryIndexes: [index('by-owner', 'sk', 'KEYS_ONLY'), index('by-rank', 'rank', 'ALL')],
};

const partitionKeys = ['p', 'q'];
const sortKeys = ['a', 'ab', 'b', 'é'];
/** Every key that a generated item has. */
export const keys = partitionKeys.flatMap((pk) => sortKeys.map((sk) => ({ pk: { S: pk }, sk: { S: sk } })));

/** The values of expressions by their names, so that an expression is a text. */
const named: Record<string, AttributeValue> = {
  ':zero': { N: '0' },
  ':one': { N: '1' },
  ':half': { N: '-2.50' },
  ':large': { N: '1e30' },
  ':text': { S: 'ab' },
  ':a': { S: 'a' },
  ':empty': { S: '' },
  ':yes': { BOOL: true },
  ':nothing': { NULL: true },
  ':bytes': { B: Buffer.from('ab') },
  ':set': { SS: ['a', 'b'] },
  ':numbers': { NS: ['1', '2'] },
  ':list': { L: [{ N: '1' }, { S: 'a' }] },
  ':map': { M: { x: { N: '1' }, y: { M: { z: { S: 'deep' } } } } },
  ':p': { S: 'p' },
  ':S': { S: 'S' },
  ':N': { S: 'N' },
};
const names: Record<string, string> = { '#a': 'a', '#m': 'm', '#size': 'size', '#owner': 'owner' };

const value = fc.constantFrom(...Object.keys(named));
const attributeNames = ['a', 'b', '#a', 'l', 'm', 'n', 's', '#owner', 'rank'];
const nestedPaths = ['m.x', '#m.x', 'm.y.z', 'm.x.z', 'l[0]', 'l[1]', 'l[7]', 'm.y[0]', 'a[0].x', '#size'];
const path = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...attributeNames) },
  { weight: 3, arbitrary: fc.constantFrom(...nestedPaths) },
  // Keys cannot be updated, a reserved word needs a name, and the last is none.
  { weight: 1, arbitrary: fc.constantFrom('pk', 'sk', 'status', '#none') },
);
const operand = fc.oneof(
  { weight: 3, arbitrary: path },
  { weight: 3, arbitrary: value },
  { weight: 1, arbitrary: path.map((of) => `size(${of})`) },
);
const comparator = fc.constantFrom('=', '<>', '<', '<=', '>', '>=');
/** Fills the `%` of a text. */
const filled = (text: string, ...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((texts) => texts.reduce((sum, part) => sum.replace('%', () => part), text));

const { condition } = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    filled('attribute_exists(%)', path),
    filled('attribute_not_exists(%)', path),
    filled('% % %', operand, comparator, operand),
    filled('% BETWEEN % AND %', operand, operand, operand),
    filled('% IN (%, %)', operand, operand, operand),
    filled('begins_with(%, %)', path, operand),
    filled('contains(%, %)', path, operand),
    filled('attribute_type(%, %)', path, fc.constantFrom(':S', ':N', ':a')),
    filled('NOT %', tie('condition')),
    filled('(%) AND %', tie('condition'), tie('condition')),
    filled('% OR (%)', tie('condition'), tie('condition')),
  ),
}));

const setValue = fc.oneof(
  operand,
  filled('% + %', operand, operand),
  filled('% - %', operand, operand),
  filled('if_not_exists(%, %)', path, operand),
  filled('list_append(%, %)', operand, operand),
  filled('if_not_exists(%, %) + %', path, value, value),
);
const some = (part: fc.Arbitrary<string>) =>
  fc.array(part, { minLength: 1, maxLength: 2 }).map((all) => all.join(', '));
const clauses = [
  some(filled('% = %', path, setValue)).map((text) => `SET ${text}`),
  some(path).map((text) => `REMOVE ${text}`),
  some(filled('% %', path, value)).map((text) => `ADD ${text}`),
  some(filled('% %', path, value)).map((text) => `DELETE ${text}`),
];
const updateExpression = fc.oneof(
  { weight: 5, arbitrary: fc.oneof(...clauses) },
  { weight: 1, arbitrary: filled('% %', fc.oneof(...clauses), fc.oneof(...clauses)) },
);
const projection = fc.array(path, { minLength: 1, maxLength: 3 }).map((all) => all.join(', '));
const keyCondition = fc.oneof(
  fc.constantFrom('pk = :p', 'pk = :p AND begins_with(sk, :a)', 'pk = :p AND sk BETWEEN :a AND :text', ':p = pk'),
  filled('pk = :p AND sk % %', comparator, value),
  filled('sk % :a AND pk = %', comparator, value),
  fc.constantFrom('pk = :p OR sk = :a', 'pk > :p', 'sk = :a', 'pk = :p AND a = :a', 'pk = :p AND (sk > :a)', 'pk = :a'),
);
const indexCondition = fc.oneof(
  filled('#owner = :a AND rank % %', comparator, value),
  filled('#owner = %', value),
  fc.constantFrom('#owner = :a AND rank BETWEEN :half AND :one', '#owner = :a AND begins_with(rank, :one)'),
);

const key = fc.oneof(
  { weight: 15, arbitrary: fc.constantFrom(...keys) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { pk: { S: 'p' } },
      { pk: { S: '' }, sk: { S: 'a' } },
      { pk: { N: '1' }, sk: { S: 'a' } },
    ),
  },
);
const anyValue = value.map((name) => named[name]!);
const oddValue = fc.constantFrom<AttributeValue[]>(
  { SS: [] },
  { NS: ['1', '1.0'] },
  { N: 'x' },
  { N: '1e126' },
  { N: '123456789012345678901234567890123456789' },
  { NULL: false } as never,
  {} as never,
);
const item = fc
  .record(
    {
      a: anyValue,
      b: anyValue,
      n: fc.constantFrom<AttributeValue[]>({ N: '5' }, { N: '0.10' }, { N: '-3' }),
      s: fc.constantFrom<AttributeValue[]>({ SS: ['a', 'c'] }, { NS: ['1', '3.0'] }),
      l: fc.constant<AttributeValue>(named[':list']!),
      m: fc.constant<AttributeValue>(named[':map']!),
      owner: fc.constantFrom<AttributeValue[]>({ S: 'a' }, { S: 'ab' }),
      rank: fc.constantFrom<AttributeValue[]>({ N: '1' }, { N: '-2.5' }, { N: '10' }),
    },
    { requiredKeys: [] },
  )
  .chain((attributes) =>
    fc.oneof(
      { weight: 20, arbitrary: key.map((its) => ({ ...attributes, ...its })) },
      { weight: 1, arbitrary: fc.tuple(key, oddValue).map(([its, odd]) => ({ ...attributes, ...its, a: odd })) },
      { weight: 1, arbitrary: fc.tuple(key, anyValue).map(([its, odd]) => ({ ...its, rank: odd })) },
    ),
  );

/** Adds the names and values that the expressions of a request use. One of them may be missing or not used. */
const withNames = (input: Input, mistake = 'none'): Input => {
  const texts = Object.entries(input).flatMap(([member, text]) => (member.endsWith('Expression') ? [text] : []));
  const used = (pattern: RegExp) => [...new Set(texts.join(' ').match(pattern) ?? [])];
  const valueNames = used(/:\w+/g);
  const values = Object.fromEntries(valueNames.map((name) => [name, named[name]]));
  const attributes = Object.fromEntries(used(/#\w+/g).flatMap((name) => (names[name] ? [[name, names[name]]] : [])));
  if (mistake === 'missing') delete values[valueNames[0]!];
  if (mistake === 'unused') values[':unused'] = named[':one'];
  return {
    TableName,
    ...input,
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    ...(Object.keys(attributes).length > 0 && { ExpressionAttributeNames: attributes }),
  };
};
const mistake = fc.oneof(
  { weight: 20, arbitrary: fc.constant('none') },
  { weight: 1, arbitrary: fc.constantFrom('missing', 'unused') },
);
const sometimes = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined, freq: 1 });
/** A record of members, those without a value omitted, with the names and values of its expressions. */
const input = (members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Input> =>
  fc
    .tuple(fc.record(members), mistake)
    .map(([given, its]) =>
      withNames(Object.fromEntries(Object.entries(given).filter(([, one]) => one !== undefined)), its),
    );

const onFailure = sometimes(fc.constantFrom('ALL_OLD', 'NONE'));
const returned = (...allowed: string[]) =>
  sometimes(
    fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...allowed) }, { weight: 1, arbitrary: fc.constant('ALL_NEW') }),
  );
const ConditionExpression = sometimes(condition);
const writes = {
  Put: { Item: item, ConditionExpression },
  Update: { Key: key, UpdateExpression: updateExpression, ConditionExpression },
  Delete: { Key: key, ConditionExpression },
  ConditionCheck: { Key: key, ConditionExpression: condition },
};
const conditional = { ReturnValuesOnConditionCheckFailure: onFailure };
const pages = {
  Limit: sometimes(fc.integer({ min: 0, max: 3 })),
  FilterExpression: sometimes(condition),
  ProjectionExpression: sometimes(projection),
  Select: sometimes(fc.constantFrom('COUNT', 'ALL_ATTRIBUTES', 'SPECIFIC_ATTRIBUTES')),
};

const inputs: Record<Operation, { weight: number; of: fc.Arbitrary<Input> }> = {
  PutItem: { weight: 6, of: input({ ...writes.Put, ...conditional, ReturnValues: returned('ALL_OLD', 'NONE') }) },
  UpdateItem: {
    weight: 8,
    of: input({
      ...writes.Update,
      ...conditional,
      ReturnValues: returned('ALL_NEW', 'ALL_OLD', 'UPDATED_NEW', 'UPDATED_OLD'),
    }),
  },
  DeleteItem: { weight: 2, of: input({ ...writes.Delete, ...conditional, ReturnValues: returned('ALL_OLD') }) },
  GetItem: { weight: 2, of: input({ Key: key, ProjectionExpression: sometimes(projection) }) },
  Query: {
    weight: 5,
    of: fc.oneof(
      input({ KeyConditionExpression: keyCondition, ScanIndexForward: sometimes(fc.boolean()), ...pages }),
      input({
        KeyConditionExpression: indexCondition,
        IndexName: fc.constantFrom('by-rank', 'by-rank', 'by-owner', 'none'),
        ...pages,
      }),
    ),
  },
  // Without a limit, since AWS does not define the order of a scan.
  Scan: { weight: 2, of: input({ ...pages, Limit: fc.constant(undefined) }) },
  BatchGetItem: {
    weight: 1,
    of: fc.tuple(fc.array(key, { maxLength: 3 }), sometimes(projection)).map(([Keys, ProjectionExpression]) => {
      const { TableName: _, ...request } = withNames({ Keys, ...(ProjectionExpression && { ProjectionExpression }) });
      return { RequestItems: { [TableName]: request } };
    }),
  },
  BatchWriteItem: {
    weight: 1,
    of: fc
      .array(
        fc.oneof(
          item.map((Item) => ({ PutRequest: { Item } })),
          key.map((Key) => ({ DeleteRequest: { Key } })),
        ),
        { maxLength: 3 },
      )
      .map((requests) => ({ RequestItems: { [TableName]: requests } })),
  },
  TransactWriteItems: {
    weight: 3,
    of: fc
      .array(
        fc.oneof(
          ...Object.entries(writes).map(([kind, members]) =>
            input({ ...members, ...conditional }).map((given) => ({ [kind]: given })),
          ),
        ),
        { maxLength: 3 },
      )
      .map((TransactItems) => ({ TransactItems })),
  },
  TransactGetItems: {
    weight: 1,
    of: fc
      .array(
        input({ Key: key, ProjectionExpression: sometimes(projection) }).map((Get) => ({ Get })),
        { maxLength: 3 },
      )
      .map((TransactItems) => ({ TransactItems })),
  },
};

export const request: fc.Arbitrary<Request> = fc.oneof(
  ...Object.entries(inputs).map(([operation, { weight, of }]) => ({
    weight,
    arbitrary: of.map((made) => ({ operation: operation as Operation, input: made })),
  })),
);

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { credentials, openDynamo, serveControl } from 'embedded-aws/testing';
import { readProgramOptions, wholeNumber } from '../../test/program-options.ts';
import { compareDynamodb, createTable, type Difference } from './compare-dynamodb.ts';
import { TableName, table } from './dynamodb-requests.ts';
import { type ReferenceName, references, startReference } from './servers.ts';

const usage = `npm run references -- [--sequences 300] [--seed N] [--only dynoxide|moto]

Sends the same random requests to the embedded DynamoDB and to implementations by others, which it installs first (with
cargo and pip). Prints each difference, reduced to few requests, and exits with 1 when there is one.

  --sequences N  how many sequences of up to eight requests; 300 without it
  --seed N       the same seed gives the same requests; without it, a new one
  --only NAME    only this reference
`;

const options = {
  sequences: { type: 'string', default: '300' },
  seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  only: { type: 'string' },
} as const;
const { sequences, seed, only } = readProgramOptions(usage, options, (values) => {
  const all = Object.keys(references) as ReferenceName[];
  const chosen = all.filter((name) => values.only === undefined || name === values.only);
  if (chosen.length === 0) throw new Error(`--only is one of ${all.join(', ')}`);
  return {
    sequences: wholeNumber('sequences', values.sequences),
    seed: wholeNumber('seed', values.seed, 0),
    only: chosen,
  };
});

const region = 'eu-west-1';
const folder = await mkdtemp(join(tmpdir(), 'references-'));
const dynamo = await openDynamo({
  folder,
  region,
  tables: [
    {
      name: TableName,
      keySchema: table.KeySchema,
      attributeDefinitions: table.AttributeDefinitions,
      globalSecondaryIndexes: table.GlobalSecondaryIndexes,
    },
  ],
});
const served = await serveControl({ region, targets: new Map([[dynamo.target, dynamo.service]]) });
const stops = [served.stop, dynamo.close, () => rm(folder, { recursive: true })];

const print = ({ sequence, of, outcomes, signature }: Difference): void => {
  console.log(`\nDIFFERENCE ${signature}`);
  for (const one of sequence) console.log(`  ${JSON.stringify(one)}`);
  console.log(`  at ${of.operation}`);
  for (const [name, outcome] of Object.entries(outcomes)) console.log(`    ${name}: ${JSON.stringify(outcome)}`);
};

try {
  const targets = [{ name: 'embedded', client: new DynamoDBClient(served.client) }];
  for (const name of only) {
    const { endpoint, stop } = await startReference(name);
    stops.unshift(stop);
    const target = { name, client: new DynamoDBClient({ endpoint, region, credentials, maxAttempts: 1 }) };
    await createTable(target);
    targets.push(target);
  }
  console.log(`seed ${seed}`);
  const count = await compareDynamodb({ targets, sequences, seed, report: print });
  console.log(count === 0 ? '\nno differences that are not known' : `\n${count} kinds of differences`);
  process.exitCode = count === 0 ? 0 : 1;
} finally {
  for (const stop of stops) await stop();
}

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { credentials } from 'embedded-aws/testing';
import { readProgramOptions, wholeNumber } from '../../test/program-options.ts';
import { checkOpenapi } from './check-openapi.ts';
import { checkTemplates } from './check-templates.ts';
import { compare, type Difference, type Service } from './compare.ts';
import { type Behaviour, contractTable, printUnknown, runContract } from './contract-suite.ts';
import { createTable, dynamodb } from './dynamodb-service.ts';
import { region, startDynamodb, startS3 } from './embedded-services.ts';
import { embeddedEvaluator, jsonata, startPython } from './jsonata-service.ts';
import { bucketNames, s3 } from './s3-service.ts';
import { installPythonPrograms, type ReferenceName, references, startReference } from './servers.ts';
import { embeddedRunner, runnerAt, stateMachines } from './state-machine-service.ts';

const parts = ['contract', 'dynamodb', 's3', 'jsonata', 'step-functions', 'templates', 'openapi'] as const;
const usage = `npm run references -- [--part NAME] [--sequences 300] [--seed N] [--only NAME] [--write]

Holds the embedded services against implementations by others, which it installs first (with cargo, go and pip):
${Object.keys(references).join(', ')}. The part contract runs the tests of embedded-aws/test/contract on each; dynamodb, s3,
jsonata and step-functions send the same random requests to both; templates checks those of dev and prod with cfn-lint,
cloudsplaining and moto's CloudFormation; openapi sends generated requests to the running service with schemathesis.
Prints each difference that is not known, and exits
with 1 when there is one.

  --part NAME    only this part: ${parts.join(', ')}
  --sequences N  how many random sequences of requests; 300 without it
  --seed N       the same seed gives the same requests; without it, a new one
  --only NAME    only this reference
  --write        writes the table of embedded-aws/docs/conformance.md
`;

const options = {
  part: { type: 'string' },
  sequences: { type: 'string', default: '300' },
  seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  only: { type: 'string' },
  write: { type: 'boolean', default: false },
} as const;
const { part, sequences, seed, only, write } = readProgramOptions(usage, options, (values) => {
  const all = Object.keys(references) as ReferenceName[];
  const chosen = all.filter((name) => values.only === undefined || name === values.only);
  if (chosen.length === 0) throw new Error(`--only is one of ${all.join(', ')}`);
  const wanted = parts.filter((one) => values.part === undefined || one === values.part);
  if (wanted.length === 0) throw new Error(`--part is one of ${parts.join(', ')}`);
  return {
    part: wanted,
    sequences: wholeNumber('sequences', values.sequences),
    seed: wholeNumber('seed', values.seed, 0),
    only: chosen,
    write: values.write,
  };
});

/** LocalStack takes long for a state machine that ends after 25,000 events. */
const hasContract = (name: ReferenceName): boolean => name !== 'localstack';

const folder = await mkdtemp(join(tmpdir(), 'references-'));
const stops: (() => Promise<void>)[] = [() => rm(folder, { recursive: true })];
const running: { name: ReferenceName; endpoint: string; services: readonly string[] }[] = [];
for (const name of only) {
  const { services } = references[name];
  const isNeeded = part.some((one) => services.some((of) => of === one) || (one === 'contract' && hasContract(name)));
  if (!isNeeded) continue;
  const { endpoint, stop } = await startReference(name);
  stops.unshift(stop);
  running.push({ name, endpoint, services: references[name].services });
}

function print({ sequence, of, outcomes, signature }: Difference<unknown>): void {
  console.log(`\nDIFFERENCE ${signature}`);
  for (const one of sequence) console.log(`  ${JSON.stringify(one)}`);
  console.log(`  at ${JSON.stringify(of)}`);
  for (const [name, outcome] of Object.entries(outcomes)) console.log(`    ${name}: ${JSON.stringify(outcome)}`);
}

type Part<Client, Request> = {
  service: Service<Client, Request>;
  start: () => Promise<{ endpoint: string; stop(): Promise<void> }>;
  /** A client for each lane of sequences. */
  open: (endpoint: string) => Client[];
  /** Creates in a reference what the embedded service has from its start. */
  prepare: (client: Client) => Promise<unknown>;
  names: readonly ReferenceName[];
};

async function compareService<Client, Request>({ service, start, open, prepare, names }: Part<Client, Request>) {
  const embedded = await start();
  stops.unshift(embedded.stop);
  const theirs = running.filter(({ name }) => names.includes(name));
  if (theirs.length === 0) return 0;
  const lanes = open(embedded.endpoint).map((client) => [{ name: 'embedded', client }]);
  for (const { name, endpoint } of theirs) {
    for (const [lane, client] of open(endpoint).entries()) {
      await prepare(client);
      lanes[lane]!.push({ name, client });
    }
  }
  return compare({ service, lanes, sequences, seed, report: print });
}

const clientAt = (endpoint: string) => ({ endpoint, region, credentials, maxAttempts: 1 });
const counts = {
  dynamodb: () =>
    compareService({
      service: dynamodb,
      start: startDynamodb,
      open: (endpoint) => [new DynamoDBClient(clientAt(endpoint))],
      prepare: createTable,
      names: ['dynoxide', 'moto'],
    }),
  s3: () =>
    compareService({
      service: s3,
      start: startS3,
      // versitygw does not answer `Expect: 100-continue`, so that each larger body would wait for six seconds.
      open: (endpoint) => {
        const client = new S3Client({ ...clientAt(endpoint), expectContinueHeader: false });
        return bucketNames.map((Bucket) => ({ s3: client, Bucket, uploads: [] }));
      },
      prepare: ({ s3: client, Bucket }) => client.send(new CreateBucketCommand({ Bucket })),
      names: ['versitygw'],
    }),
  async 'step-functions'() {
    const { endpoint } = running.find(({ name }) => name === 'localstack') ?? {};
    if (endpoint === undefined) return 0;
    const sfn = new SFNClient(clientAt(endpoint));
    const targets = [
      { name: 'embedded', client: embeddedRunner },
      { name: 'localstack', client: runnerAt(sfn) },
    ];
    // Each machine waits for its own executions only.
    return compare({ service: stateMachines, lanes: Array(8).fill(targets), sequences, seed, report: print });
  },
  async jsonata() {
    const evaluator = startPython(join(await installPythonPrograms(), 'python3'));
    stops.unshift(evaluator.stop);
    const targets = [
      { name: 'embedded', client: embeddedEvaluator },
      { name: 'jsonata-python', client: evaluator },
    ];
    return compare({ service: jsonata, lanes: [targets], sequences, seed, report: print });
  },
  templates: async () => checkTemplates(await installPythonPrograms(), folder),
  openapi: async () => checkOpenapi(await installPythonPrograms('schemathesis'), folder, seed),
  async contract() {
    const results: Record<string, Behaviour[]> = {};
    let count = 0;
    for (const { name, endpoint, services } of running) {
      if (!hasContract(name)) continue;
      results[name] = await runContract(name, endpoint, services, folder);
      count += printUnknown(name, results[name]);
    }
    const rows = contractTable(results);
    console.log(`\n${rows}\n`);
    if (write) await writeTable(rows);
    return count;
  },
};

/** Replaces the table between the two comments of the page. */
async function writeTable(rows: string): Promise<void> {
  const page = join(import.meta.dirname, '../../embedded-aws/docs/conformance.md');
  const text = await readFile(page, 'utf8');
  await writeFile(page, text.replace(/(<!-- contract -->\n\n)[\s\S]*?(\n\n<!-- end -->)/, `$1${rows}$2`));
}

try {
  console.log(`seed ${seed}`);
  let count = 0;
  for (const one of part) count += await counts[one]();
  console.log(count === 0 ? '\nno differences that are not known' : `\n${count} differences`);
  process.exitCode = count === 0 ? 0 : 1;
} finally {
  for (const stop of stops) await stop();
}

import { execFile, fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { GetParameterCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { credentials } from 'embedded-aws/testing';
import { build } from 'esbuild';
import { log } from '../../../functions/common/log.ts';
import { handleFileRequest } from '../../../functions/queue/lease-files.ts';
import { reportDone } from '../../../functions/queue/report.ts';
import { type DeliveredFile, writeFilePages } from '../../../functions/storage-deliveries/file-pages.ts';
import { queueDeliverJob } from '../../../functions/table/jobs/queued-jobs.ts';
import type { User } from '../../../functions/table/records.ts';
import { newStorageDelivery } from '../../../functions/table/storage-deliveries/new-storage-delivery.ts';
import {
  addStorageDelivery,
  beginStorageDelivery,
} from '../../../functions/table/storage-deliveries/storage-delivery-table.ts';
import type { FileRequest, JobResult, Lease } from '../../../shared/protocol/jobs.ts';
import { createPerson } from '../../../test/fixtures/create-person.ts';
import { functionEnvironment } from '../../../test/fixtures/function-environment.ts';
import { openBucket } from '../../../test/fixtures/open-bucket.ts';
import { openTable } from '../../../test/fixtures/open-table.ts';
import { storeStorage } from '../../../test/fixtures/records/delivering-person.ts';
import { newWorker, nextLease } from '../../../test/fixtures/records/ingesting-person.ts';
import { storeVideo } from '../../../test/fixtures/records/store-video.ts';
import { startReference } from '../../references/servers.ts';
import { median, type Row, row } from '../row.ts';
import { makeVideoFiles, storeVideoFiles } from './video-files.ts';

const Bucket = 'films';
const region = 'eu-west-1';
const run = promisify(execFile);

type Delivered = { result: JobResult<'deliver'>; seconds: number; peakRssBytes: number };

/**
 * The delivery of 2 GB in the files of a video to versitygw, against `aws s3 cp --recursive` of the same files, which
 * need not be fetched from a store first. Each transfer has an empty store.
 */
export async function measureDeliver(repeats: number): Promise<Row[]> {
  Object.assign(process.env, functionEnvironment, {
    PARAMETER_PREFIX: '/video-service/bench',
    STORAGES_KMS_KEY: 'arn:aws:kms:key',
    STORAGE_DELIVERIES_FUNCTION: 'continue-storage-deliveries',
    ALLOW_LOOPBACK_TARGETS: 'on',
  });
  log.setLogLevel('ERROR');
  const mocks = [mockClient(SSMClient), mockClient(LambdaClient)] as const;
  mocks[0].on(PutParameterCommand).resolves({});
  mocks[0].on(GetParameterCommand).resolves({ Parameter: { Value: credentials.secretAccessKey } });
  mocks[1].on(InvokeCommand).resolves({});
  const closers = [await openTable(), await openBucket()];
  const folder = await mkdtemp(join(tmpdir(), 'bench-deliver-'));
  const files = join(folder, 'files');
  try {
    const made = await makeVideoFiles(files);
    const { user } = await createPerson();
    const { video } = await storeVideo(user, { status: 'completed' });
    const stored = await storeVideoFiles(files, made, video.ulid);
    const program = await bundled(folder);
    const aws = await findAws();
    const [copies, deliveries]: [number[], Delivered[]] = [[], []];
    for (let repeat = 0; repeat < repeats; repeat++) {
      copies.push(await toEmptyStore(made.length, (endpoint) => copyByAws(aws, files, endpoint)));
      deliveries.push(
        await toEmptyStore(made.length, (endpoint) => deliver({ user, video, files: stored, endpoint, program })),
      );
    }
    const seconds = median(deliveries.map((one) => one.seconds));
    const mib = Math.round(made.reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20);
    const peak = Math.max(...deliveries.map(({ peakRssBytes }) => peakRssBytes)) / 2 ** 20;
    const name = `delivery of ${mib} MiB in ${made.length} files`;
    return [
      row({
        name: `${name} against aws s3 cp`,
        value: seconds,
        baseline: median(copies),
        unit: 's',
        ratioAtMost: 1.15,
      }),
      row({ name: `${name}: memory of the worker`, value: peak, unit: 'MiB', atMost: 150 }),
    ];
  } finally {
    for (const close of closers) await close();
    for (const mock of mocks) mock.restore();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Another version may come first on the PATH. */
async function findAws(): Promise<string> {
  const { stdout } = await run('which', ['-a', 'aws']);
  for (const program of stdout.trim().split('\n')) {
    const printed = await run(program, ['--version']);
    if (printed.stdout.startsWith('aws-cli/2')) return program;
  }
  throw new Error('There is no AWS CLI 2 on the PATH');
}

async function toEmptyStore<Result>(count: number, transfer: (endpoint: string) => Promise<Result>): Promise<Result> {
  const { endpoint, stop } = await startReference('versitygw');
  const store = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  try {
    await store.send(new CreateBucketCommand({ Bucket }));
    const result = await transfer(endpoint);
    const { KeyCount } = await store.send(new ListObjectsV2Command({ Bucket, MaxKeys: 1000 }));
    if (KeyCount !== count) throw new Error(`${KeyCount} of ${count} files were copied`);
    return result;
  } finally {
    store.destroy();
    await stop();
  }
}

async function copyByAws(aws: string, folder: string, endpoint: string): Promise<number> {
  const env = {
    ...process.env,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_REGION: region,
  };
  const args = ['s3', 'cp', '--recursive', '--quiet', '--endpoint-url', endpoint, folder, `s3://${Bucket}/aws/`];
  const startMs = performance.now();
  await run(aws, args, { env });
  return (performance.now() - startMs) / 1000;
}

type Delivery = {
  user: User;
  video: Awaited<ReturnType<typeof storeVideo>>['video'];
  files: readonly DeliveredFile[];
  endpoint: string;
  program: string;
};

/** Has a worker in a process of its own run the job of a delivery, and answers its requests as the service does. */
async function deliver({ user, video, files, endpoint, program }: Delivery): Promise<Delivered> {
  const { accessKeyId } = credentials;
  const storage = await storeStorage(user, endpoint, { bucket: Bucket, region, accessKeyId });
  const target = { storageUlid: storage.ulid, path: '{ulid}/{output}/', outputs: '*' as const, also: [] };
  const delivery = newStorageDelivery(video, target);
  await addStorageDelivery(delivery, video, user, storage.name);
  const listing = await writeFilePages(delivery, files);
  const totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  await beginStorageDelivery(delivery, { planNumber: video.planNumber, listing, fileCount: files.length, totalBytes });
  await queueDeliverJob(delivery.ulid, undefined, 60);
  const lease = (await nextLease())!;
  const ended = await runWorker(program, lease);
  await reportDone(newWorker(), { lease: lease.id, result: ended.result });
  return ended;
}

function runWorker(program: string, lease: Lease): Promise<Delivered> {
  const child = fork(program);
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The worker ended with ${code}`)));
    child.on('message', (message: { number: number; request: FileRequest } | Delivered) => {
      if ('result' in message) return resolve(message);
      const { number, request } = message;
      handleFileRequest(request, { node: 'pool' }).then((response) => child.send({ number, response }), reject);
    });
    child.send({ lease });
  });
}

/** The worker as in its image: Node needs 30 MiB to read TypeScript. */
async function bundled(folder: string): Promise<string> {
  const outfile = join(folder, 'deliver-files.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'deliver-files.ts')],
    outfile,
    logLevel: 'warning',
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return outfile;
}

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createBatch, findBatch } from '../../../functions/table/ingests/ingest-batch-table.ts';
import { pageOfIngests } from '../../../functions/table/ingests/ingest-table.ts';
import { createStorage, recordFirstSecret } from '../../../functions/table/storages/storage-table.ts';
import { functionEnvironment } from '../../../test/fixtures/function-environment.ts';
import { openBucket } from '../../../test/fixtures/open-bucket.ts';
import { openTable } from '../../../test/fixtures/open-table.ts';
import { buildStorage } from '../../../test/fixtures/records/build-storage.ts';
import { createIngestingPerson } from '../../../test/fixtures/records/ingesting-person.ts';
import { startGeneratedList } from '../../../test/fixtures/servers/start-generated-list.ts';
import { type Row, row } from '../row.ts';

const keys = 1_000_000;
const fileEvery = 500;
const kills = 5;
/** With less than a function has, V8 does not put off collecting garbage: what grows with the keys ends the process. */
const heapMib = 96;
const mebibyte = 2 ** 20;

/**
 * The ingest of a prefix with a million keys, of which few are files. In the first half of the keys, the
 * process that lists them is killed several times, at any moment.
 */
export async function measureBatch(): Promise<Row[]> {
  const environment = { ALLOW_LOOPBACK_TARGETS: 'on', PARAMETER_PREFIX: '/video-service/bench' };
  Object.assign(process.env, functionEnvironment, environment);
  const closers = [await openTable(), await openBucket()];
  const list = await startGeneratedList(keys, fileEvery);
  try {
    const { user, template } = await createIngestingPerson();
    const { ulid, ownerUlid, ...fields } = buildStorage({ endpoint: list.endpoint, prefix: 'in/' });
    const storage = await recordFirstSecret(await createStorage(fields, user));
    if (!storage) throw new Error('The storage is gone');
    const metadata = JSON.stringify({ template: template.ulid, externalUserId: null, externalResourceId: null });
    const batch = await createBatch({ storageUlid: storage.ulid, prefix: 'in/', metadata, limit: keys }, user);
    const rssBytes = await listKilled(user.ulid);
    const { created, skipped } = (await findBatch(user.ulid, batch.ulid))!;
    const { total } = await pageOfIngests(user.ulid, { offset: 0, limit: 1 });
    if (created !== keys / fileEvery || total !== created || skipped !== keys - created) {
      throw new Error(`${created} ingests were created, ${total} are stored, and ${skipped} keys were skipped`);
    }
    const name = `a prefix of ${keys} keys with ${created} files`;
    return [
      row({ name: `${name}: lists`, value: list.lists(), unit: 'calls', atMost: keys / 400 }),
      row({ name: `${name}: listed keys`, value: list.listed(), baseline: keys, unit: 'keys', ratioAtMost: 1.5 }),
      row({ name: `${name}: memory`, value: Math.max(...rssBytes) / mebibyte, unit: 'MiB', atMost: 300 }),
    ];
  } finally {
    list.close();
    for (const close of closers) await close();
  }
}

type ListProgress = { keys: number; rssBytes: number; isListed: boolean };

/** Returns the memory of the last process after each call. */
async function listKilled(userUlid: string): Promise<number[]> {
  for (let killed = 0; ; killed++) {
    const rssBytes: number[] = [];
    const child = fork(join(import.meta.dirname, 'list-prefix.ts'), [userUlid], {
      execArgv: [`--max-old-space-size=${heapMib}`],
    });
    const ended = once(child, 'exit');
    let isListed = false;
    child.on('message', (progress: ListProgress) => {
      ({ isListed } = progress);
      rssBytes.push(progress.rssBytes);
      const isDue = killed < kills && progress.keys >= ((killed + 1) / kills) * (keys / 2);
      if (isDue) setTimeout(() => child.kill('SIGKILL'), Math.random() * 200);
    });
    const [code] = await ended;
    if (isListed) return rssBytes;
    if (code !== null) throw new Error(`The process that lists ended with ${code}`);
  }
}

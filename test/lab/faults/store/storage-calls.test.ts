import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeAll, beforeEach, test, vi } from 'vitest';
import { continueBatches } from '../../../../functions/ingests/continue-batches.ts';
import { expireLeases } from '../../../../functions/queue/expire-leases.ts';
import { handler as continueDeliveries } from '../../../../functions/storage-deliveries/continue-storage-deliveries.lambda.ts';
import { requestDelivery } from '../../../../functions/storage-deliveries/request-delivery.ts';
import { createBatch, findBatch } from '../../../../functions/table/ingests/ingest-batch-table.ts';
import { pageOfIngests } from '../../../../functions/table/ingests/ingest-table.ts';
import { keys } from '../../../../functions/table/items/keys.ts';
import { queryRange } from '../../../../functions/table/items/ranges.ts';
import { firstOpenDeliveries } from '../../../../functions/table/storage-deliveries/open-deliveries.ts';
import { findStorageDelivery } from '../../../../functions/table/storage-deliveries/storage-delivery-table.ts';
import { createStorage, findStorage, recordFirstSecret } from '../../../../functions/table/storages/storage-table.ts';
import { countOpenUploads } from '../../../../functions/table/uploads/upload-table.ts';
import { expectSameWhateverFails } from '../../../../lab/faults/store/every-call.ts';
import { useFaultyStores } from '../../../../lab/faults/store/faulty-stores.ts';
import { buildStorage } from '../../../fixtures/records/build-storage.ts';
import { createDeliveringPerson, filesLeftOf, runDelivery } from '../../../fixtures/records/delivering-person.ts';
import { createIngestingPerson, nextLease } from '../../../fixtures/records/ingesting-person.ts';
import { clearQueue } from '../../../fixtures/records/queue-probe.ts';
import { storeEncodedVideo } from '../../../fixtures/records/store-encoded-video.ts';
import { type HostileStore, startHostileStore } from '../../../fixtures/servers/hostile-store.ts';
import { useEmptyPool } from '../../../fixtures/use-empty-pool.ts';

const stores = useFaultyStores();
useEmptyPool();
mockClient(LambdaClient).on(InvokeCommand).resolves({});
mockClient(SSMClient)
  .on(GetParameterCommand)
  .resolves({ Parameter: { Value: 'secret' } });

let store: HostileStore;
beforeAll(async () => {
  Object.assign(process.env, {
    PARAMETER_PREFIX: '/video-service/test',
    STORAGES_KMS_KEY: 'arn:aws:kms:key',
    ACCOUNT_ID: '123456789012',
    ALLOW_LOOPBACK_TARGETS: 'on',
    STORAGE_DELIVERIES_FUNCTION: 'continue-storage-deliveries',
  });
  store = await startHostileStore('films');
});
afterAll(() => store.close());
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/** All combinations are several hundred; a sample runs by default. */
const every = Number(process.env.EVERY ?? 31);

test('a batch of ingests that is continued after each failed call has one ingest of each file', async () => {
  for (const key of ['a.mp4', 'b.mp4', 'd/e.mp4']) store.objects.set(key, { body: Buffer.alloc(5), headers: {} });
  for (const key of ['c/', 'f.empty']) store.objects.set(key, { body: Buffer.alloc(0), headers: {} });
  await expectSameWhateverFails(
    stores,
    {
      async arrange() {
        const { user, template } = await createIngestingPerson();
        const { ulid, ownerUlid, ...fields } = buildStorage({ endpoint: store.endpoint });
        const { ulid: storageUlid } = (await recordFirstSecret(await createStorage(fields, user)))!;
        const metadata = JSON.stringify({ template: template.ulid, externalUserId: null, externalResourceId: null });
        return { user, batch: await createBatch({ storageUlid, prefix: '', metadata, limit: 100 }, user) };
      },
      act: async ({ user }) => {
        if (await continueBatches(user.ulid)) throw new Error('the schedule continues it');
      },
      async look({ user, batch }) {
        const { ingests } = await pageOfIngests(user.ulid, { offset: 0, limit: 100 });
        const { status, created, skipped, removed, failed, position } = (await findBatch(user.ulid, batch.ulid))!;
        return {
          batch: { status, created, skipped, removed, failed, position },
          keys: ingests.map(({ storageKey, status: of }) => `${storageKey} ${of}`).toSorted(),
          openUploads: await countOpenUploads(user.ulid),
          uses: (await findStorage(user.ulid, batch.storageUlid))!.ingests,
        };
      },
    },
    every,
  );
});

test('a delivery that is continued after each failed call has copied each file', async () => {
  const query = {
    version: 1,
    video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
    audio: [{ name: 'stereo', codec: 'aac' }],
    outputs: [{ name: 'file', format: 'mp4' }],
  };
  const { user, storage } = await createDeliveringPerson(store.endpoint, { bucket: 'films' });
  const whole = await storeEncodedVideo(user, query);
  let scenes = 0;
  await expectSameWhateverFails(
    stores,
    {
      async arrange() {
        await clearQueue();
        const path = `scene-${++scenes}/{ulid}/{output}/`;
        return requestDelivery(whole, { storage: storage.ulid, path, also: ['metadata'] }, user);
      },
      act: async ({ ulid }) => {
        await continueDeliveries({ userUlid: user.ulid });
        const lease = await nextLease();
        if (lease) await runDelivery(lease);
        // A worker that was lost, or a failed attempt, delays the next one.
        vi.setSystemTime(Date.now() + 20 * 60_000);
        await expireLeases();
        await continueDeliveries({ userUlid: user.ulid });
        if ((await findStorageDelivery(ulid))?.status === 'running') throw new Error('the schedule continues it');
      },
      async look({ ulid, target: { path } }) {
        const delivery = (await findStorageDelivery(ulid))!;
        const { status, error, fileCount, copiedFiles, multiparts } = delivery;
        const events = await queryRange(keys.event(user.ulid, '').pk, '0', 'Z', 1000);
        const root = path.split('{ulid}')[0]!;
        return {
          delivery: { status, error, isWhole: fileCount === copiedFiles, multiparts },
          files: [...store.objects.keys()].flatMap((key) => key.split(root)[1] ?? []).toSorted(),
          events: events.filter(({ subject }) => JSON.stringify(subject).includes(ulid)).map(({ type }) => type),
          uses: (await findStorage(user.ulid, storage.ulid))!.deliveries,
          open: (await firstOpenDeliveries(user.ulid, 10)).includes(ulid),
          pages: await filesLeftOf(delivery),
        };
      },
    },
    every,
  );
});

import { randomUUID } from 'node:crypto';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { Storage } from '../table/storages/storage-table.ts';
import { type OpenStorage, openStorage } from './open-storage.ts';
import { explainStoreError, StorageError, type StorageErrorCode } from './storage-error.ts';

type StepName = 'open' | 'write' | 'read' | 'list' | 'delete';
type Step = { step: StepName; ok: boolean; code?: StorageErrorCode; message?: string };

/** Together below the time that a request of the API has. */
const stepMilliseconds = 3000;

/**
 * Writes, reads, lists and deletes one small object. The steps end with the first failed one, except that a failed list
 * is only reported, and that an object which may have been written is deleted in any case.
 */
export async function testStorage(storage: Storage): Promise<{ ok: boolean; steps: Step[] }> {
  const steps: Step[] = [];
  const attempt = async (step: StepName, act: () => Promise<unknown>): Promise<boolean> => {
    try {
      await act();
      steps.push({ step, ok: true });
      return true;
    } catch (error) {
      const { code, message } = explainStoreError(error);
      steps.push({ step, ok: false, code, message });
      return false;
    }
  };
  let opened: OpenStorage | undefined;
  await attempt('open', async () => {
    opened = await openStorage(storage, { timeoutMilliseconds: stepMilliseconds });
  });
  if (opened) await tryObject(storage, opened.client, attempt);
  return { ok: steps.every(({ step, ok }) => ok || step === 'list'), steps };
}

async function tryObject(
  { bucket, prefix }: Storage,
  client: S3Client,
  attempt: (step: StepName, act: () => Promise<unknown>) => Promise<boolean>,
): Promise<void> {
  const content = randomUUID();
  const object = { Bucket: bucket, Key: `${prefix}storage-test-${content}.txt` };
  const isWritten = await attempt('write', () =>
    client.send(new PutObjectCommand({ ...object, Body: content, ContentType: 'text/plain' })),
  );
  if (!isWritten) {
    // A response may be lost although the object is written.
    await client.send(new DeleteObjectCommand(object)).catch(() => undefined);
    return;
  }
  const isRead = await attempt('read', async () => {
    const { Body } = await client.send(new GetObjectCommand(object));
    if ((await Body?.transformToString()) !== content) throw otherContent();
  });
  if (isRead)
    await attempt('list', () => client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 })));
  await attempt('delete', () => client.send(new DeleteObjectCommand(object)));
}

const otherContent = (): StorageError =>
  new StorageError('invalid_response', 'The store returned other bytes than were written. Check the endpoint.');

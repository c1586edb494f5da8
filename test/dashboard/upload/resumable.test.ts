import { expect, test } from 'vitest';
import { createUploadMemory } from '../../../dashboard/upload/resumable.ts';

const file = { name: 'a.mp4', size: 10, lastModified: 1 };
const upload = { ulid: 'U', uploadId: 'I', partBytes: 5 };

function createStorage(initial?: string) {
  const values = new Map(initial === undefined ? [] : [['uploads', initial]]);
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  };
}

test('the same file continues its upload, for the same user and template only', () => {
  const storage = createStorage();
  createUploadMemory(storage, 'ada').keep(file, { template: 'T' }, upload);
  const ofAda = createUploadMemory(storage, 'ada');
  expect(ofAda.find(file, { template: 'T' })).toEqual(upload);
  expect(ofAda.find({ ...file, lastModified: 2 }, { template: 'T' })).toBeUndefined();
  expect(ofAda.find({ ...file, size: 11 }, { template: 'T' })).toBeUndefined();
  expect(ofAda.find(file, { template: 'other' })).toBeUndefined();
  expect(ofAda.find(file, { template: 'T', clip: { start_seconds: 2 } })).toBeUndefined();
  expect(createUploadMemory(storage, 'bob').find(file, { template: 'T' })).toBeUndefined();
});

test('a finished upload is forgotten, others stay', () => {
  const memory = createUploadMemory(createStorage(), 'ada');
  memory.keep(file, { template: 'T' }, upload);
  memory.keep({ ...file, name: 'b.mp4' }, { template: 'T' }, upload);
  memory.forget(file, { template: 'T' });
  expect(memory.find(file, { template: 'T' })).toBeUndefined();
  expect(memory.find({ ...file, name: 'b.mp4' }, { template: 'T' })).toEqual(upload);
});

test('uploads that the service has discarded by now are dropped', () => {
  const storage = createStorage();
  createUploadMemory(storage, 'ada', () => 0).keep(file, { template: 'T' }, upload);
  const later = createUploadMemory(storage, 'ada', () => 8 * 86_400_000);
  later.keep({ ...file, name: 'b.mp4' }, { template: 'T' }, upload);
  expect(later.find(file, { template: 'T' })).toBeUndefined();
});

test('what is not JSON in the storage does no harm', () => {
  const memory = createUploadMemory(createStorage('{'), 'ada');
  expect(memory.find(file, { template: 'T' })).toBeUndefined();
  memory.keep(file, { template: 'T' }, upload);
  expect(memory.find(file, { template: 'T' })).toEqual(upload);
});

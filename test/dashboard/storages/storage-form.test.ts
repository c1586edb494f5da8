import { expect, test } from 'vitest';
import {
  changesOf,
  creationOf,
  formOf,
  isUsed,
  type Storage,
  shownFields,
  withChanges,
  withoutSecret,
} from '../../../dashboard/storages/storage-form.ts';

const storage: Storage = {
  ulid: '01K9Z3P6M8N9P0Q1R2S3T4V5W6',
  name: 'Archive',
  kind: 's3',
  endpoint: 'https://minio.example.com',
  region: 'us-east-1',
  bucket: 'films',
  prefix: 'videos/',
  path_style: true,
  access_key_id: 'KEY',
  role_arn: null,
  external_id: null,
  trusted_account: null,
  used_by: { templates: 0, deliveries: 0, ingests: 0 },
  created_at: '2026-11-22T10:00:00.000000Z',
  updated_at: '2026-11-22T10:00:00.000000Z',
};
const empty = formOf(undefined);
const filled = { name: ' Archive ', bucket: ' films ', accessKeyId: ' KEY ', secret: 'SECRET' };

test('a bucket of AWS has no endpoint of its own', () => {
  const form = withChanges(empty, { ...filled, region: 'eu-central-1' });
  expect(creationOf(form)).toEqual({
    name: 'Archive',
    region: 'eu-central-1',
    bucket: 'films',
    access_key_id: 'KEY',
    secret_access_key: 'SECRET',
  });
});

test('a role replaces key and secret', () => {
  const body = creationOf(withChanges(empty, { ...filled, usesRole: true, roleArn: ' arn:role ' }));
  expect(body).toMatchObject({ role_arn: 'arn:role' });
  expect(body).not.toHaveProperty('access_key_id');
  expect(body).not.toHaveProperty('secret_access_key');
});

test('the account of Cloudflare and the region of Backblaze decide the endpoint', () => {
  const r2 = withChanges(withChanges(empty, { provider: 'r2' }), { accountId: 'abc' });
  expect(r2).toMatchObject({ endpoint: 'https://abc.r2.cloudflarestorage.com', region: 'auto', isPathStyle: true });
  const b2 = withChanges(withChanges(r2, { provider: 'b2' }), { region: 'eu-central-003' });
  expect(b2).toMatchObject({ endpoint: 'https://s3.eu-central-003.backblazeb2.com' });
  expect(withChanges(b2, { provider: 'gcs' })).toMatchObject({
    endpoint: 'https://storage.googleapis.com',
    region: 'auto',
  });
});

test('an endpoint that was typed stays while other fields change', () => {
  const eu = 'https://abc.eu.r2.cloudflarestorage.com';
  const form = withChanges(withChanges(empty, { provider: 'r2' }), { accountId: 'abc' });
  expect(withChanges(withChanges(form, { endpoint: eu }), { bucket: 'films', name: 'B' }).endpoint).toBe(eu);
  const minio = withChanges(withChanges(empty, { provider: 'minio' }), { endpoint: 'https://minio.example.com' });
  expect(withChanges(minio, { region: 'eu' }).endpoint).toBe('https://minio.example.com');
});

test('another provider than AWS has no roles', () => {
  expect(withChanges(withChanges(empty, { usesRole: true }), { provider: 'minio' }).usesRole).toBe(false);
});

test.each([
  [null, 'aws'],
  ['https://abc.eu.r2.cloudflarestorage.com', 'r2'],
  ['https://storage.googleapis.com', 'gcs'],
  ['https://s3.us-west-004.backblazeb2.com', 'b2'],
  ['https://r2.cloudflarestorage.com.example.com', 'other'],
  ['https://minio.example.com', 'other'],
])('the provider of %s is %s', (endpoint, provider) => {
  expect(formOf({ ...storage, endpoint }).provider).toBe(provider);
});

test('a form of a known storage has its values without the secret, and changes nothing', () => {
  const form = formOf(storage);
  expect(form).toMatchObject({ endpoint: 'https://minio.example.com', prefix: 'videos/', secret: '' });
  expect(changesOf(form, form)).toEqual({});
});

test('only changes are sent: an emptied prefix, and a new endpoint with its style', () => {
  const form = formOf(storage);
  expect(changesOf(form, withChanges(form, { prefix: ' ' }))).toEqual({ prefix: '' });
  expect(changesOf(form, withChanges(form, { endpoint: 'https://b.example.com' }))).toEqual({
    endpoint: 'https://b.example.com',
    path_style: true,
  });
  expect(changesOf(form, withChanges(form, { provider: 'aws', region: 'eu-central-1' }))).toMatchObject({
    endpoint: null,
    path_style: false,
  });
});

test('an access key and its secret are changed together, and a role by its ARN', () => {
  const form = formOf(storage);
  expect(changesOf(form, { ...form, secret: 'NEW' })).toEqual({ access_key_id: 'KEY', secret_access_key: 'NEW' });
  expect(changesOf(form, { ...form, usesRole: true, roleArn: 'arn:role' })).toEqual({ role_arn: 'arn:role' });
});

test('an API call is shown without the secret', () => {
  expect(JSON.stringify(withoutSecret(creationOf({ ...empty, ...filled })))).not.toContain('"SECRET"');
  expect(withoutSecret({ name: 'B' })).toEqual({ name: 'B' });
});

test('errors of fields that a provider fills in are not at a field', () => {
  expect(shownFields({ provider: 'gcs', usesRole: false })).not.toContain('region');
  expect(shownFields({ provider: 'aws', usesRole: true })).toContain('role_arn');
});

test('a storage is used by what names it or runs with it', () => {
  expect(isUsed(storage)).toBe(false);
  expect(isUsed({ used_by: { templates: 0, deliveries: 1, ingests: 0 } })).toBe(true);
});

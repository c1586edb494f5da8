import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { DamagedData, verifyData } from 'embedded-aws';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Cloud, startCloud } from '../../../local/server/cloud.ts';
import { readOperator } from '../../fixtures/servers/read-operator.ts';
import { writeSmallAssembly } from './small-assembly.ts';

const admin = { name: 'Administrator', email: 'a@example.com', password: 'correct horse' };

let folder: string;
/** Data folders: of a first run, after a second one, and as a kill would have left it during the second. */
let older: string;
let closed: string;
let killed: string;

const start = (dataFolder: string): Promise<Cloud> =>
  startCloud({ dataFolder, port: 0, templateFolder: join(folder, 'assembly'), workers: 1, writeLine: () => {}, admin });

async function storeOf({ storeUrl }: Cloud, dataFolder: string): Promise<S3Client> {
  const { region, credentials } = await readOperator(dataFolder);
  return new S3Client({ endpoint: storeUrl, region, credentials });
}

async function use(dataFolder: string, name: string, before = async () => {}): Promise<void> {
  const cloud = await start(dataFolder);
  const store = await storeOf(cloud, dataFolder);
  const object = { Bucket: cloud.bucketName, Key: `uploads/${name}.mp4`, Body: `content of ${name}` };
  await store.send(new PutObjectCommand(object));
  // The execution that the upload starts writes this item.
  await vi.waitFor(async () => expect(await (await fetch(`${cloud.apiUrl}/stored`)).text()).toContain(`${name}.mp4`), {
    timeout: 60_000,
  });
  await before();
  await cloud.close();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'damaged-'));
  [older, closed, killed] = ['older', 'closed', 'killed'].map((name) => join(folder, name)) as [string, string, string];
  await writeSmallAssembly(join(folder, 'assembly'));
  await use(closed, 'first');
  await writeFile(join(closed, 'api-token'), '1|token-of-the-first-start');
  await writeFile(join(closed, 'last-backup'), '/backups/sunday\n');
  await cp(closed, older, { recursive: true });
  await use(closed, 'second', () => cp(closed, killed, { recursive: true }));
  await writeFile(join(closed, 'api-token'), '2|token-of-the-second-start');
  await writeFile(join(closed, 'last-backup'), '/backups/monday\n');
});
afterAll(() => rm(folder, { recursive: true }));

const flipped = (content: Buffer): Buffer => {
  const changed = Buffer.from(content);
  const middle = Math.floor(content.length / 2);
  for (let at = middle; at < Math.min(middle + 20, content.length); at += 1) changed[at] = changed[at]! ^ 0x15;
  return changed;
};
type Damage = (content: Buffer, path: string) => Promise<Buffer | undefined> | Buffer | undefined;
const damages: Record<string, Damage> = {
  missing: () => undefined,
  empty: () => Buffer.alloc(0),
  truncated: (content) => content.subarray(0, Math.floor(content.length / 2)),
  'flipped bytes': flipped,
  'older copy': (_, path) => readFile(join(older, path)).catch(() => undefined),
};

/** Damaged files that the service does without: they are rebuilt, or only concern what is over. */
const recovered = [
  /^dynamodb\/LO/,
  /^access-log\//,
  /^tasks\//,
  /^executions\/(definitions|finished|running)\b/,
  /^executions\/finished\.jsonl$/,
  /^aws-config$/,
  // api-token.test.ts shows what a damaged token does. The other one only has an advice.
  /^api-token$/,
  /^last-backup$/,
];
/** A missing proof is made again from its file. The store checks its files when it opens them. */
const isOther = (path: string): boolean =>
  recovered.some((pattern) => pattern.test(path)) || path.startsWith('s3/blobs/');

async function filesIn(dataFolder: string): Promise<string[]> {
  const entries = await readdir(dataFolder, { recursive: true, withFileTypes: true });
  return entries
    .flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name).slice(dataFolder.length + 1)] : []))
    .toSorted();
}

/** Damages one file after the other, and returns what a start says about each. */
async function verifyEach(dataFolder: string, damage: Damage, isTried: (path: string) => boolean) {
  const results: Record<string, string> = {};
  for (const path of (await filesIn(dataFolder)).filter(isTried)) {
    const file = join(dataFolder, path);
    const content = await readFile(file);
    const other = await damage(content, path);
    if (other?.equals(content)) continue;
    if (other) await writeFile(file, other);
    else await rm(file);
    results[path] = await verifyData(dataFolder).then(
      () => 'accepted',
      (error) => (error instanceof DamagedData ? 'refused' : `${error}`),
    );
    await writeFile(file, content);
  }
  return results;
}

test.each(Object.entries(damages))('of a service that was stopped, no %s file is accepted', async (name, damage) => {
  await verifyData(closed);
  const results = await verifyEach(closed, damage, (path) => !isOther(path));
  expect(Object.keys(results).length).toBeGreaterThan(10);
  // Without its proof a file is that of an earlier version. That of a database holds until the next start.
  const isHarmless = (path: string): boolean =>
    (name === 'missing' && path.endsWith('.proof')) || (name === 'older copy' && path === 'dynamodb.proof');
  const expected = Object.keys(results).map((path) => [path, isHarmless(path) ? 'accepted' : 'refused']);
  expect(results).toEqual(Object.fromEntries(expected));
});

const wholeFiles =
  /^(credentials|parameters|custom-resources|key-value-stores\/.*)\.json$|\.key$|token-key$|control-port$/;

test.each(Object.entries(damages))(
  'after a kill, no %s file with secrets or settings is accepted',
  async (_, damage) => {
    await verifyData(killed);
    const results = await verifyEach(killed, damage, (path) => wholeFiles.test(path));
    expect(new Set(Object.values(results))).toEqual(new Set(['refused']));
  },
);

test('after a kill, a database without CURRENT or with flipped bytes is refused', async () => {
  const tried = (path: string) => /^dynamodb\/(CURRENT|MANIFEST|.*\.(log|ldb)$)/.test(path);
  const [missing, changed] = [damages.missing!, damages['flipped bytes']!];
  const ofLogs = await verifyEach(killed, changed, tried);
  expect(new Set(Object.values(ofLogs))).toEqual(new Set(['refused']));
  const results = await verifyEach(killed, missing, tried);
  expect(new Set(Object.values(results))).toEqual(new Set(['refused']));
});

test('a refused start names file, backup and command, shows no content, and changes nothing', async () => {
  const data = join(folder, 'refused');
  await cp(closed, data, { recursive: true });
  const file = join(data, 'parameters.json');
  const content = await readFile(file, 'utf8');
  await writeFile(file, content.slice(0, 40));
  const before = await filesIn(data);
  const message = await start(data).then(
    () => 'started',
    (error) => `${error.name}: ${error.message}`,
  );
  expect(message).toBe(
    `CannotStart: ${file} is damaged, or is an older copy. The service does not start with it, and nothing was ` +
      `deleted: move ${data} away and run DATA_DIR=${data} npm run restore -- /backups/monday (the last backup); ` +
      'docs/local.md has other ways.',
  );
  expect(await filesIn(data)).toEqual(before);
  await writeFile(file, content);
  await (await start(data)).close();
});

test('a database that is missing beside other files is not made again', async () => {
  const data = join(folder, 'no-database');
  await cp(closed, data, { recursive: true });
  for (const name of ['dynamodb', 'dynamodb.proof']) await rm(join(data, name), { recursive: true });
  await expect(start(data)).rejects.toThrow(`${join(data, 'dynamodb')} is missing beside credentials.json.`);
  expect(await filesIn(data)).not.toContain('dynamodb/CURRENT');
});

test.each(Object.entries(damages))(
  'with every other file %s, the service starts and has lost nothing',
  async (_, damage) => {
    const data = join(folder, 'recovered');
    await cp(closed, data, { recursive: true });
    for (const path of await filesIn(data)) {
      if (!recovered.some((pattern) => pattern.test(path))) continue;
      const other = await damage(await readFile(join(data, path)), path);
      if (other) await writeFile(join(data, path), other);
      else await rm(join(data, path));
    }
    const cloud = await start(data);
    expect(await (await fetch(`${cloud.apiUrl}/stored`)).text()).toContain('second.mp4');
    const store = await storeOf(cloud, data);
    for (const name of ['first', 'second']) {
      const { Body } = await store.send(new GetObjectCommand({ Bucket: cloud.bucketName, Key: `uploads/${name}.mp4` }));
      expect(await Body!.transformToString()).toBe(`content of ${name}`);
    }
    await cloud.close();
    await rm(data, { recursive: true });
  },
);

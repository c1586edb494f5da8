import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type OpenData, openData } from 'embedded-aws/testing';

const bucket = 'media';
const smallFiles = {
  'credentials.json': '{"masterSecret":"secret"}',
  'parameters.json': '{"/stage/name":{"value":"one"}}',
  'rules.json': '{"reap":false}',
  'event-source-checkpoints.journal': '01234567 {"sequence":"1"}\n',
  'executions/token-key': 'key',
  'executions/definitions/a.json': '{}',
  'executions/running/run-1/execution.jsonl': '{"type":"ExecutionStarted"}\n',
  'executions/finished/run-0/execution.jsonl': '{"type":"ExecutionSucceeded"}\n',
  'executions/finished.jsonl': '{"id":"run-0"}\n',
  'access-log/access.jsonl': '{"path":"/s/1"}\n',
  'tasks/0/request.json': '{"cluster":"main"}',
};
/** A backup does not need them. */
const otherFiles = {
  'aws-config': '[profile video-service]',
  'parameters.json.new': '{',
  'tasks/0/work/chunk.mp4': 'frames',
};

/** An item, and its record in the stream of the table. */
const entriesOf = (index: number): [key: string, value: object][] => [
  [`item~table~${index}`, { name: `item ${index} ä` }],
  [`stream~table~shard~${index}`, { name: 'INSERT', keys: { n: { N: `${index}` } } }],
];

export type DataFolder = OpenData & { path: string };
type Store = OpenData['store'];

/**
 * The parts of a data folder, opened as the service opens them, with `objects` objects in the store and as many items.
 */
export async function makeDataFolder(path: string, objects = 3): Promise<DataFolder> {
  for (const [name, content] of Object.entries({ ...smallFiles, ...otherFiles })) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  const data = await openDataFolder(path);
  for (let index = 0; index < objects; index += 1) {
    for (const [key, value] of entriesOf(index)) await data.database.put(key, value);
    await putObject(data.store, `object-${index}`, `content ${index}`);
  }
  return data;
}

export const openDataFolder = async (path: string): Promise<DataFolder> => ({ path, ...(await openData(path)) });

export async function putObject(store: Store, key: string, content: string): Promise<void> {
  async function* chunks() {
    yield Buffer.from(content);
  }
  const blob = await store.blobs.write(chunks(), []);
  const etag = createHash('md5').update(content).digest('hex');
  const object = { bucket, key, blobs: [blob], sizeBytes: blob.sizeBytes, etag, modifiedMs: 0, headers: {} };
  await store.commit({ type: 'put', object: { ...object, sequencer: store.nextSequencer() } });
}

export const deleteObject = (store: Store, key: string): Promise<void> =>
  store.commit({ type: 'delete', bucket, keys: [key] });

/** Everything that a service would find in the folder: items, objects with their content, and small files. */
export async function readContents(path: string) {
  const data = await openDataFolder(path);
  const items = Object.fromEntries(await data.database.iterator().all());
  const objects: Record<string, string> = {};
  for (const { key, blobs } of data.store.state.buckets.get(bucket)?.objects.values() ?? []) {
    objects[key] = await readFile(join(path, 's3/blobs', blobs[0]!.id), 'utf8');
  }
  await data.close();
  const names = await readdir(path, { recursive: true, withFileTypes: true });
  const files: Record<string, string> = {};
  for (const entry of names) {
    const name = join(entry.parentPath, entry.name).slice(path.length + 1);
    if (entry.isFile() && !/^(dynamodb|s3)\//.test(name)) files[name] = await readFile(join(path, name), 'utf8');
  }
  return { items, objects, files };
}

/** The same for the sample, as a backup has it. */
export function expectedContents(objects = 3) {
  const indexes = Array.from({ length: objects }, (_, index) => index);
  return {
    items: Object.fromEntries(indexes.flatMap(entriesOf)),
    objects: Object.fromEntries(indexes.map((index) => [`object-${index}`, `content ${index}`])),
    files: { ...smallFiles },
  };
}

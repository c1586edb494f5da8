import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startDynamo, streamedTable, temporaryFolder } from './dynamo-server.ts';

const KILLS = 6;
const TableName = 'things';
const writer = fileURLToPath(new URL('crash-writer.ts', import.meta.url));

/** Kills the writer at a random time after some transactions, and returns the numbers of the acknowledged ones. */
async function writeUntilKilled(folder: string, first: number): Promise<number[]> {
  const child = spawn(process.execPath, [writer, folder, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const answered: number[] = [];
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => answered.push(Number(line)));
  while (answered.length < 20) await Promise.race([once(lines, 'line'), exited.then(([code]) => fail(code))]);
  await setTimeout(Math.random() * 60);
  child.kill('SIGKILL');
  await exited;
  return answered;
}

function fail(code: unknown): never {
  throw new Error(`The writer ended by itself with ${code}`);
}

test('after a kill each transaction is complete or absent, and no acknowledged one is lost', async () => {
  const folder = await temporaryFolder();
  try {
    const answered: number[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      answered.push(...(await writeUntilKilled(folder, kill * 1_000_000)));
      const { receipts, indexed, streamed, left, right } = await readBack(folder);
      expect(left + right).toBe(0);
      expect(receipts).toHaveLength(left);
      expect(indexed).toEqual(receipts);
      expect(streamed).toEqual({ receipts, left, right });
      expect(answered.filter((n) => !receipts.includes(n))).toEqual([]);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

async function readBack(folder: string) {
  const { documents, stream, stop } = await startDynamo({ folder, tables: [streamedTable] });
  const counter = async (sk: string): Promise<number> =>
    (await documents.get({ TableName, Key: { pk: 'account', sk } })).Item?.n;
  const receipts = await documents.query({
    TableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': 'receipts' },
  });
  const indexed = await documents.query({
    TableName,
    IndexName: 'by-rank',
    KeyConditionExpression: '#o = :o',
    ExpressionAttributeNames: { '#o': 'owner' },
    ExpressionAttributeValues: { ':o': 'clerk' },
  });
  const numbers = (items: Record<string, unknown>[] = []) =>
    items.map(({ rank }) => rank as number).toSorted((one, other) => one - other);
  const source = stream(streamedTable.stream!.arn)!;
  const shards = await Promise.all(source.shardIds.map((shardId) => source.read(shardId, undefined, 1_000_000)));
  const images = shards.flat().map(({ record }) => record.dynamodb.NewImage!);
  const lastOf = (sk: string) => Number(images.findLast((image) => image.sk!.S === sk)?.n?.N);
  const result = {
    left: await counter('left'),
    right: await counter('right'),
    receipts: numbers(receipts.Items),
    indexed: numbers(indexed.Items),
    streamed: {
      left: lastOf('left'),
      right: lastOf('right'),
      receipts: numbers(images.filter(({ pk }) => pk!.S === 'receipts').map(({ rank }) => ({ rank: Number(rank!.N) }))),
    },
  };
  await stop({ keepFolder: true });
  return result;
}

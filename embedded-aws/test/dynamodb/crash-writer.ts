// A process for the crash test to kill. It moves units between two counters in transactions that also write a receipt
// with an index entry and records of the stream, and prints the number of each acknowledged transaction.
import { startDynamo, streamedTable } from './dynamo-server.ts';

const [folder, firstText] = process.argv.slice(2);
const { documents } = await startDynamo({ folder: folder!, tables: [streamedTable] });
const TableName = 'things';

async function move(n: number): Promise<void> {
  const change = (sk: string, by: number) => ({
    Update: {
      TableName,
      Key: { pk: 'account', sk },
      UpdateExpression: 'ADD n :by',
      ExpressionAttributeValues: { ':by': by },
    },
  });
  const moved = documents.transactWrite({
    TransactItems: [
      change('left', 1),
      { Put: { TableName, Item: { pk: 'receipts', sk: String(n), owner: 'clerk', rank: n } } },
      change('right', -1),
    ],
  });
  try {
    await moved;
  } catch (error) {
    // Another stream was faster.
    if (!(error as Error).message.includes('TransactionConflict')) throw error;
    return move(n);
  }
  process.stdout.write(`${n}\n`);
}

const streams = 4;
const first = Number(firstText);
await Promise.all(
  Array.from({ length: streams }, async (_, stream) => {
    for (let n = first + stream; ; n += streams) await move(n);
  }),
);

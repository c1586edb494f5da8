import { checkInput, type Input, runAction } from '../items/dynalite-actions.ts';
import { createActionStore } from '../storage/dynalite-store.ts';
import type { Tablespace } from '../storage/dynamodb-context.ts';
import { checkTransaction } from './transaction-input.ts';

/** TransactGetItems: all items as they were at one moment, in the order asked for. */
export async function transactGet(space: Tablespace, input: Input): Promise<Input> {
  const unread = createActionStore(space, () => undefined);
  const gets = checkTransaction(input, ['Get']).map(({ item }) => checkInput('GetItem', item, unread));
  const snapshot = space.database.snapshot();
  try {
    const answers = await Promise.all(
      gets.map((get) => runAction('GetItem', get, (fail) => createActionStore(space, fail, { snapshot }))),
    );
    return { Responses: answers.map(({ Item }) => (Item ? { Item } : {})) };
  } finally {
    await snapshot.close();
  }
}

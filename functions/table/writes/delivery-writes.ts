import type { Write } from '../items/items.ts';
import { keys, owned } from '../items/keys.ts';

/** Has a delivery sent at a time. It has one such item until it has ended. */
export const dueWrite = (webhookUlid: string, position: string): Write => ({
  put: { ...keys.dueDelivery(webhookUlid, position), ...owned('all', 'due', position), kind: 'due' },
});

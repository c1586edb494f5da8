import * as z from 'zod';
import { getItems, queryIndex } from './items.ts';
import { owned } from './keys.ts';

const proxyRecord = z.object({
  ulid: z.string(),
  type: z.literal('proxy'),
  status: z.literal('active'),
  /** with the port, where it is not the scheme's own */
  hostname: z.string(),
  scheme: z.enum(['http', 'https']).default('https'),
});
export type ProxyNode = z.infer<typeof proxyRecord>;

/** The proxy nodes that viewers can be sent to now. */
export async function listActiveProxies(): Promise<ProxyNode[]> {
  const nodes = await getItems(await queryIndex('byOwner', owned('all', 'node', '').ownerKey));
  return nodes.flatMap((node) => {
    const { success, data } = proxyRecord.safeParse(node);
    return success ? [data] : [];
  });
}

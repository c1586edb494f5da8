import { afterAll, beforeAll } from 'vitest';
import { useBucket } from '../../../test/fixtures/use-bucket.ts';
import { useTable } from '../../../test/fixtures/use-table.ts';
import type { StoreCall } from './store-call.ts';
import type { StoreFault } from './store-fault.ts';
import { type Decide, openStoreProxy, type StoreProxy } from './store-proxy.ts';

/** How a call fails: the first request, and each retry of the client. */
export type CallFault = { name: string; first: StoreFault; again?: StoreFault };

/** Ways in which the caller's knowledge and the actual effect can differ. */
export const callFaults: readonly CallFault[] = [
  {
    name: 'is lost before it is executed',
    first: { kind: 'refused', happened: false },
    again: { kind: 'refused', happened: false },
  },
  {
    name: 'is executed, but answered with an error',
    first: { kind: 'refused', happened: true },
    again: { kind: 'refused', happened: false },
  },
  { name: 'is executed without a response and retried', first: { kind: 'cut', happened: true } },
];

export type FaultyStores = {
  /** Makes the call at a position (from 0) fail while `act` runs. Returns the calls that were made. */
  during(act: () => Promise<unknown>, fault?: { at: number; how: CallFault }): Promise<StoreCall[]>;
  /** Decides the fate of each call while `act` runs. */
  disturbed<Result>(decide: Decide, act: () => Promise<Result>): Promise<Result>;
};

/** An empty table and bucket for a test file, whose calls can be lost. Clients try a call twice. */
export function useFaultyStores(): FaultyStores {
  useTable();
  useBucket();
  const proxies: StoreProxy[] = [];

  beforeAll(async () => {
    process.env.AWS_MAX_ATTEMPTS = '2';
    for (const variable of ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_S3']) {
      const upstream = process.env[variable]!;
      const proxy = await openStoreProxy(() => ({ store: upstream, control: upstream }));
      process.env[variable] = proxy.url;
      proxies.push(proxy);
    }
  });
  afterAll(async () => {
    for (const proxy of proxies) await proxy.close();
  });

  return {
    async during(act, fault) {
      const seen = new Map<string, StoreCall>();
      const decide = (call: StoreCall): StoreFault | undefined => {
        const isFirst = !seen.has(call.invocation);
        if (isFirst) seen.set(call.invocation, call);
        if ([...seen.keys()].indexOf(call.invocation) !== fault?.at) return undefined;
        return isFirst ? fault.how.first : fault.how.again;
      };
      const stops = proxies.map((proxy) => proxy.disturb(decide));
      try {
        await act();
      } finally {
        for (const stop of stops) stop();
      }
      return [...seen.values()];
    },
    async disturbed(decide, act) {
      const stops = proxies.map((proxy) => proxy.disturb(decide));
      try {
        return await act();
      } finally {
        for (const stop of stops) stop();
      }
    },
  };
}

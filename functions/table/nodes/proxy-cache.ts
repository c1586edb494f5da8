import { createRecentValue } from './recent-value.ts';

/** The addresses of a proxy, for viewers and for the service. */
export type ProxyNode = {
  ulid: string;
  scheme: 'http' | 'https';
  ipAddress: string;
  hostname: string;
  connections?: number;
};

const keptMilliseconds = 5_000;

/**
 * The active proxies as this instance has last read them. Viewers' calls are many, and nodes change rarely. Whatever
 * changes a node forgets them.
 */
export const proxyCache = createRecentValue<ProxyNode[]>(keptMilliseconds);

/** Runs a write that may change which proxies are active, and forgets the proxies that were read before it. */
export async function changingProxies<Result>(write: Promise<Result>): Promise<Result> {
  try {
    return await write;
  } finally {
    proxyCache.forget();
  }
}

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ingest } from '../../../encoder-task/jobs/ingest.ts';
import type { JobContext } from '../../../encoder-task/jobs/job-context.ts';
import { startGeneratedSource } from '../../../lab/bench/ingest/generated-source.ts';
import type { IngestSpec } from '../../../shared/protocol/jobs.ts';
import { type Behaviour, type HostileStore, startHostileStore } from '../../fixtures/servers/hostile-store.ts';
import { wordsOfStore } from '../../fixtures/servers/store-responses.ts';

let behaviour: Behaviour | undefined;
let store: HostileStore;
beforeEach(async () => {
  behaviour = undefined;
  store = await startHostileStore('films', () => behaviour);
});
afterEach(() => store.close());

const contextOf = (url: string, askParts: unknown, fields: Partial<IngestSpec> = {}) =>
  ({
    spec: {
      kind: 'ingest',
      url,
      partBytes: 100,
      maxBytes: 10_000,
      source: null,
      storedParts: [],
      allowLoopback: true,
      storage: { name: 'Archive', urlSeconds: 1800 },
      ...fields,
    },
    limits: { stallSeconds: 10 },
    askParts,
    reportProgress: () => undefined,
    signal: AbortSignal.timeout(60_000),
  }) as unknown as JobContext<IngestSpec>;

test.each<[Behaviour | undefined, string, RegExp]>([
  [undefined, 'INPUT_GONE', /^The storage "Archive" has no object with this key/],
  ['forbidden', 'INPUT_UNREACHABLE', /^The storage "Archive" does not let the service read the object/],
  ['redirect', 'INPUT_UNREACHABLE', /^The storage "Archive" redirects to another address, which is not followed/],
])('an object that a store answers with %o is a sentence that names the storage', async (given, code, message) => {
  behaviour = given;
  const error = await ingest(contextOf(`${store.endpoint}/films/a.mp4`, vi.fn())).catch((one) => one);
  expect(error).toMatchObject({ code, fatal: true, message: expect.stringMatching(message) });
  expect(error.message).not.toContain(wordsOfStore);
  expect(store.calls.map(({ operation }) => operation)).toEqual(['get']);
});

test('a URL is asked for again when half of its time is over, once for requests at the same time', async () => {
  const source = await startGeneratedSource(1000);
  const asked: string[] = [];
  const askParts = async ({ ask }: { ask: string }) => {
    asked.push(ask);
    // The store of the service is not there: the fetch ends with the first part.
    return ask === 'source-url' ? { urls: { source: source.sourceUrl } } : { quotaExceeded: 'enough' };
  };
  try {
    const context = contextOf('http://127.0.0.1:1/expired', askParts, { storage: { name: 'Archive', urlSeconds: 0 } });
    await expect(ingest(context)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect(asked).toEqual(['source-url', 'source']);
  } finally {
    source.close();
  }
});

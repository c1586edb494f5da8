import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { StoreCall } from '../store/store-call.ts';
import { randomStoreFault } from '../store/store-fault.ts';
import { type Decide, openStoreProxy, type StoreProxy } from '../store/store-proxy.ts';
import type { Fault, FaultContext, FaultSet } from './fault.ts';
import { MomentMissed } from './moment-missed.ts';
import { resultFaults } from './result-faults.ts';

const proxies = new Map<string, StoreProxy>();

const longestWaitMs = 30_000;

/** Disturbs store calls during an action, until at least one call was disturbed. */
async function during({ folder, note }: FaultContext, decide: Decide, act: () => Promise<unknown>): Promise<void> {
  let disturbed = 0;
  let calls = 0;
  const stop = proxies.get(folder)!.disturb((call) => {
    calls++;
    const fault = decide(call);
    if (fault) disturbed++;
    return fault;
  });
  try {
    await act();
    for (const endMs = Date.now() + longestWaitMs; disturbed === 0 && Date.now() < endMs; ) await sleep(100);
  } finally {
    stop();
  }
  if (disturbed === 0) throw new Error(`none of ${calls} calls was disturbed`);
  note(`${disturbed} of ${calls} calls`);
}

const callsGoWrong = (name: string, share: number, isMeant: (call: StoreCall) => boolean, weight = 2): Fault => ({
  name,
  weight,
  async inject(context) {
    const { random, startVideo, stateReached } = context;
    const decide: Decide = (call) =>
      isMeant(call) && random.share() < share ? randomStoreFault(random, call) : undefined;
    await during(context, decide, async () => {
      const video = await startVideo();
      await Promise.race([stateReached(video, { state: 'Publish', edge: 'left' }), sleep(30_000)]);
      context.note(video.ulid);
    });
  },
});

/** Lasts until a worker was refused with every URL that it holds. */
const urlsExpire: Fault = {
  name: 'all presigned URLs expire while workers are busy',
  weight: 3,
  async inject(context) {
    const video = await context.startVideo({ template: 'slow' });
    await context.stateReached(
      video,
      context.random.pick([
        { state: 'Probe', edge: 'entered' },
        { state: 'Plan', edge: 'left' },
        { state: 'PackageOutputs', edge: 'entered' },
      ] as const),
    );
    const decide: Decide = ({ presigned }) => (presigned ? { kind: 'expired' } : undefined);
    await during(context, decide, () => sleep(context.random.between(2_000, 6_000)));
    context.note(video.ulid);
  },
};

const isAway: Fault = {
  name: 'store and table are unavailable',
  weight: 2,
  async inject(context) {
    const video = await context.startVideo();
    await sleep(context.random.between(0, 2_000));
    await during(
      context,
      () => ({ kind: 'cut', happened: false }),
      () => sleep(context.random.between(1_000, 4_000)),
    );
    context.note(video.ulid);
  },
};

const callsGoWrongAsItPlays: Fault = {
  name: "a third of the store's and the table's calls go wrong as a video plays that is encoded",
  weight: 2,
  async inject(context) {
    const { random } = context;
    const video = await context.startVideo({ template: 'early' });
    if (!(await context.playbackOf(video).untilPlaying())) throw new MomentMissed(`${video.ulid} did not play early`);
    const decide: Decide = (call) => (random.share() < 0.3 ? randomStoreFault(random, call) : undefined);
    await during(context, decide, () => sleep(random.between(2_000, 8_000)));
    context.note(video.ulid);
  },
};

/** The first delay is below the client's timeout, the second above it. */
const completionsMs = [3_000, 28_000] as const;

/** The store creates the object and sends its event before it answers the completion. */
const eventBeforeResponse: Fault = {
  name: "the store's event comes before the upload's completion is answered",
  weight: 2,
  async inject(context) {
    const delayMs = context.random.pick(completionsMs);
    const decide: Decide = ({ operation }) => (operation === 'POST uploadId' ? { kind: 'late', delayMs } : undefined);
    await during(context, decide, async () => {
      const { ulid } = await context.startVideo();
      const { status } = await context.client.waitFor(ulid, () => true);
      context.note(`${delayMs} ms, the video was ${status} by then, ${ulid}`);
    });
  },
};

export const storeFaults: FaultSet = {
  async environment(folder) {
    const upstream = join(folder, 'upstream');
    const proxy = await openStoreProxy(() => JSON.parse(readFileSync(upstream, 'utf8')));
    proxies.set(folder, proxy);
    const module = pathToFileURL(join(import.meta.dirname, '../store/through-proxy.ts'));
    module.search = String(new URLSearchParams({ proxy: proxy.url, upstream }));
    return { NODE_OPTIONS: `--import=${module.href}` };
  },
  faults: [
    callsGoWrong("a third of the store's and the table's calls go wrong", 0.3, () => true, 3),
    callsGoWrong("half of the workers' calls to the store go wrong", 0.5, ({ presigned }) => presigned),
    callsGoWrong("half of the table's writes go wrong", 0.5, ({ operation }) =>
      /Update|Put|Transact|BatchWrite/.test(operation),
    ),
    urlsExpire,
    isAway,
    callsGoWrongAsItPlays,
    eventBeforeResponse,
    ...resultFaults(({ folder }, decide) => proxies.get(folder)!.disturb(decide)),
  ],
};

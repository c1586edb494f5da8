import { setTimeout as sleep } from 'node:timers/promises';
import { Refused } from '../../../test/journey/support/client.ts';
import type { JobItem } from '../checks/table-records.ts';
import type { Random } from '../random.ts';
import { send } from '../service/service-processes.ts';
import type { StoreCall } from '../store/store-call.ts';
import { randomStoreFault, type StoreFault } from '../store/store-fault.ts';
import type { Decide } from '../store/store-proxy.ts';
import type { Fault, FaultContext, FaultSet, StartedVideo, VideoOptions } from './fault.ts';
import { MomentMissed } from './moment-missed.ts';
import { remove } from './video-faults.ts';

const longestMs = 240_000;
const longestCopyMs = 20_000;
/** Each call of the copying takes as long as this, so that something can happen in its middle. */
const slow: StoreFault = { kind: 'slow', delayMs: 1_000 };
/** Of a video with a large file, all of which are of one delivery. */
const calls = 24;

/**
 * Acts in the middle of the copying of a video's files: after one of the calls to its storage. `setFate` decides about
 * those that follow.
 */
async function asItIsCopied(
  context: FaultContext,
  act: (video: StartedVideo, setFate: (decide: Decide) => void) => Promise<unknown>,
  options: VideoOptions = {},
): Promise<StartedVideo> {
  const { startVideo, storage, random, note } = context;
  const video = await startVideo({ template: 'copied', ...options });
  const at = random.between(1, calls);
  let seen = 0;
  let decide: Decide = () => slow;
  const stop = storage.disturb((call) => {
    if (!call.path.includes(video.ulid)) return undefined;
    seen++;
    return decide(call);
  });
  try {
    for (const endMs = Date.now() + longestMs; seen < at; await sleep(20)) {
      if (Date.now() > endMs) throw new MomentMissed(`${seen} of ${at} calls copied files of ${video.ulid}`);
    }
    await act(video, (next) => {
      decide = next;
    });
  } finally {
    stop();
  }
  note(`at call ${at}, ${video.ulid}`);
  return video;
}

/** Kills the worker that copies files for any video, most likely those of the one that is copied now. */
async function killCopier({ service }: FaultContext): Promise<void> {
  for (const endMs = Date.now() + longestCopyMs; Date.now() < endMs; await sleep(200)) {
    const jobs = (await service.account.items('JOBS#')) as JobItem[];
    const copying = jobs.filter(({ kind, status }) => kind === 'deliver' && status === 'LEASED');
    // A worker copies files beside its other job, under a name of its own.
    const holders = copying.map(({ worker }) => String(worker).replace(/-fetch$/, ''));
    const { workers } = await service.processes();
    const copier = workers.find(({ name }) => holders.includes(name));
    if (copier && send(copier.pid, 'SIGKILL')) return;
  }
  throw new MomentMissed('no worker copies files');
}

/** Calls of a storage that concern a video go wrong for some seconds. */
const goesWrong = (name: string, decide: (random: Random, call: StoreCall) => StoreFault | undefined): Fault => ({
  name,
  weight: 2,
  async inject(context) {
    const { random } = context;
    await asItIsCopied(context, async (_, setFate) => {
      setFate((call) => decide(random, call));
      await sleep(random.between(2_000, 8_000));
    });
  },
});

/** A storage of its own, so that no template names it: it is deleted as soon as the delivery to it allows it. */
async function deleteStorage(context: FaultContext): Promise<void> {
  const { client, storage, service, startVideo, untilDone, random, note } = context;
  const video = await startVideo({ mayNotDeliver: /^STORAGE_GONE: / });
  await untilDone(video);
  const target = await storage.addTo(client, `${video.ulid}/`);
  await tolerating(
    409,
    client.post(`/api/videos/${video.ulid}/deliveries`, { storage: target, path: 'again/{ulid}/' }),
  );
  await sleep(random.between(0, 500));
  const killed = sleep(random.between(0, 2_000)).then(() => service.restart({ signal: 'SIGKILL' }));
  for (const endMs = Date.now() + longestMs; ; await sleep(500)) {
    const isDeleted = await client.remove(`/api/storages/${target}`).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Refused && error.status === 404) return true;
        if (error instanceof Refused && error.status === 409) return false;
        throw error;
      },
    );
    if (isDeleted) break;
    if (Date.now() > endMs) throw new Error(`the storage ${target} is in use for ever`);
  }
  await killed;
  note(`${target}, ${video.ulid}`);
}

/** A repeated request may find that the first one was processed without a response. */
const tolerating = (status: number, asked: Promise<unknown>): Promise<unknown> =>
  asked.catch((error: unknown) => {
    if (!(error instanceof Refused && error.status === status)) throw error;
  });

export const deliveryFaults: FaultSet = {
  faults: [
    {
      name: 'kill -9 of the service as files are copied to a storage',
      weight: 3,
      inject: async (context) =>
        void (await asItIsCopied(context, () => context.service.restart({ signal: 'SIGKILL' }))),
    },
    {
      name: 'kill -9 of all processes as files are copied to a storage',
      weight: 2,
      inject: async (context) =>
        void (await asItIsCopied(context, () => context.service.restart({ signal: 'SIGKILL', workersToo: true }))),
    },
    {
      name: 'kill -9 of the worker that copies files to a storage',
      weight: 2,
      slow: true,
      inject: async (context) => void (await asItIsCopied(context, () => killCopier(context))),
    },
    goesWrong("a third of a storage's calls go wrong", (random, call) =>
      // A URL that has expired is a refusal of the storage, which ends the delivery.
      random.share() < 0.3 ? randomStoreFault(random, { ...call, presigned: false }) : undefined,
    ),
    goesWrong('a storage is away as files are copied to it', () => ({ kind: 'cut', happened: false })),
    {
      name: 'a video is deleted as its files are copied to a storage',
      weight: 2,
      inject: async (context) =>
        void (await asItIsCopied(context, ({ ulid }) => remove(context.client, ulid), { ends: 'deleted' })),
    },
    {
      name: 'a video is deleted as its files are copied to a storage, then all processes are killed',
      weight: 2,
      async inject(context) {
        await asItIsCopied(
          context,
          async ({ ulid }) => {
            await remove(context.client, ulid);
            await context.service.restart({ signal: 'SIGKILL', workersToo: true });
          },
          { ends: 'deleted' },
        );
      },
    },
    {
      name: 'a video is processed again as its files are copied to a storage',
      weight: 2,
      inject: async (context) =>
        void (await asItIsCopied(context, ({ ulid }) => tolerating(409, context.client.reprocess(ulid)))),
    },
    {
      name: 'a storage is deleted as a delivery to it begins, and the service is killed',
      weight: 2,
      inject: deleteStorage,
    },
  ],
};

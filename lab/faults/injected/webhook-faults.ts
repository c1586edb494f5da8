import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Refused } from '../../../test/journey/support/client.ts';
import { refusedOutputs } from '../templates.ts';
import type { Fault, FaultContext, FaultSet, StartedVideo } from './fault.ts';
import { MomentMissed } from './moment-missed.ts';
import { remove } from './video-faults.ts';

const videosAtATime = 4;
const runsOfEach = 5;
/** A probe that a kill interrupted is repeated after its lease: more kills would only delay the changes. */
const maxTimes = 3;
const longestRunMs = 240_000;
/** The service needs some seconds to start again, and then it has to make changes. */
const pauseMs = [2_000, 15_000] as const;

/**
 * About 200 changes with events and without any encoding: videos whose outputs fail when they are planned, processed
 * again several times. One of them is deleted.
 */
async function makeChanges(context: FaultContext): Promise<void> {
  const ends = { failed: /source has no video/ };
  // Another template means another plan. With `force`, the probe would be repeated and counted again.
  const { makeTemplate, reprocess } = context.client;
  const templates = await Promise.all([4, 2].map((segmentSeconds) => makeTemplate(refusedOutputs(segmentSeconds))));
  await Promise.all(
    Array.from({ length: videosAtATime }, async (_, index) => {
      const isDeleted = index === 0;
      const video = await context.startVideo({ template: 'refused', ends: isDeleted ? 'deleted' : ends });
      for (let run = 1; run < runsOfEach; run++) {
        await untilFailed(context, video);
        await reprocess(video.ulid, templates[(run - 1) % 2]).catch((error: unknown) => {
          // Processed before, without a response.
          if (!(error instanceof Refused && error.status === 409)) throw error;
        });
      }
      if (isDeleted) await remove(context.client, video.ulid);
      else await untilFailed(context, video);
    }),
  );
}

async function untilFailed({ client }: FaultContext, { ulid }: StartedVideo): Promise<void> {
  for (const endMs = Date.now() + longestRunMs; ; await sleep(1000)) {
    const status = await client.getVideo(ulid).then(
      (video) => video.status,
      (error: unknown) => {
        if (error instanceof Refused && error.status === 404) return 'not created';
        throw error;
      },
    );
    if (status === 'failed') return;
    // A busy machine: the invariants tell later whether it ends.
    if (Date.now() > endMs) throw new MomentMissed(`${ulid} is ${status} and not failed`);
  }
}

/** Acts again and again while changes are made. */
async function whileChanging(context: FaultContext, act: () => Promise<unknown>): Promise<void> {
  let isDone = false;
  let times = 0;
  const changes = makeChanges(context).finally(() => {
    isDone = true;
  });
  const acts = (async () => {
    while (!isDone && times < maxTimes) {
      await sleep(context.random.between(...pauseMs));
      if (isDone) break;
      await act();
      times++;
    }
  })();
  await Promise.all([changes, acts]);
  context.note(`${times} times`);
}

/** For some seconds, each invocation of a function ends at a random moment within `withinMs`. */
const functionDies = (name: 'dispatch' | 'send', withinMs: number): Fault => ({
  name: `the function ${name} dies while it works, again and again for some seconds`,
  weight: 2,
  async inject(context) {
    const { folder, random, note } = context;
    const before = await killsOf(folder, name);
    await whileChanging(context, async () => {
      await writeFile(join(folder, name), String(withinMs));
      await sleep(random.between(3_000, 8_000));
      await rm(join(folder, name));
    });
    note(`${(await killsOf(folder, name)) - before} times killed`);
  },
});

const killsOf = async (folder: string, name: string): Promise<number> =>
  (await readFile(join(folder, 'kills'), 'utf8').catch(() => '')).split('\n').filter((line) => line === name).length;

export const webhookFaults: FaultSet = {
  async environment(folder) {
    const module = pathToFileURL(join(import.meta.dirname, '../service/kill-functions.ts'));
    module.search = String(new URLSearchParams({ folder }));
    return { NODE_OPTIONS: `--import=${module.href}` };
  },
  faults: [
    functionDies('dispatch', 150),
    functionDies('send', 300),
    {
      name: 'kill -9 of the service at random moments between changes and the delivery of their events',
      weight: 3,
      inject: (context) => whileChanging(context, () => context.service.restart({ signal: 'SIGKILL' })),
    },
    {
      name: 'kill -9 of the service while the sender of an event waits for the answer',
      weight: 3,
      inject: (context) =>
        whileChanging(context, async () => {
          const { events, service } = context;
          const killed = events.duringNext(() => service.restart({ signal: 'SIGKILL' }));
          await Promise.race([killed, sleep(10_000)]);
        }),
    },
    {
      name: 'the receiver of webhooks fails for some seconds',
      weight: 2,
      inject: (context) =>
        whileChanging(context, async () => {
          const refused = await context.events.failFor(context.random.between(1_000, 4_000));
          context.note(`${refused} refused`);
        }),
    },
  ],
};

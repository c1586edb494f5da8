import { setTimeout as sleep } from 'node:timers/promises';
import { Refused } from '../../../test/journey/support/client.ts';
import { send } from '../service/service-processes.ts';
import {
  type Fault,
  type FaultContext,
  type FaultSet,
  type StartedVideo,
  type StateName,
  stateNames,
} from './fault.ts';
import { remove } from './video-faults.ts';

/** Workers call every ten seconds or more often, and the response tells them to stop. */
const longestWorkMs = 60_000;

/** Deletes a video; its workers have to stop soon. In half of the cases a worker dies at the same moment. */
async function deleteNow(context: FaultContext, video: StartedVideo): Promise<void> {
  const { client, encodersOf, service, random, note } = context;
  await client.waitFor(video.ulid, () => true);
  const held = await encodersOf(video);
  await remove(client, video.ulid);
  if (random.share() < 0.5) {
    const { workers } = await service.processes();
    if (workers.length > 0 && send(random.pick(workers).pid, 'SIGKILL')) note('with a worker');
  }
  const isAt = (pid: number): boolean => send(pid, 0 as never);
  for (const endMs = Date.now() + longestWorkMs; held.some(({ encoder }) => isAt(encoder)); await sleep(200)) {
    if (Date.now() > endMs) throw new Error(`${video.ulid} is deleted but still encoded`);
  }
  note(`${held.length} encoders, ${video.ulid}`);
}

const deletedAs = (state: StateName): Fault => ({
  name: `a video is deleted as ${state} is entered`,
  async inject(context) {
    const template = context.random.pick(['quick', 'slow'] as const);
    const video = await context.startVideo({ template, ends: 'deleted' });
    await context.stateReached(video, { state, edge: 'entered' });
    await deleteNow(context, video);
  },
});

const deletedAsItIsEncoded: Fault = {
  name: 'a video is deleted as its chunks are encoded',
  weight: 2,
  async inject(context) {
    const video = await context.startVideo({ template: 'slow', ends: 'deleted' });
    await context.encoderOf(video);
    await deleteNow(context, video);
  },
};

/** The request may have been processed before without a response. */
const unlessUnderWay = async (asked: Promise<unknown>): Promise<void> => {
  await asked.catch((error: unknown) => {
    if (!(error instanceof Refused && error.status === 409)) throw error;
  });
};

const smallStream = { codec: 'h264', height: 180, bitrate: '200k', preset: 'slower' };

const deletedAtWork = (name: string, begin: (context: FaultContext, ulid: string) => Promise<unknown>): Fault => ({
  name,
  weight: 2,
  async inject(context) {
    const { startVideo, untilDone, random } = context;
    const video = await startVideo({ ends: 'deleted' });
    await untilDone(video);
    await unlessUnderWay(begin(context, video.ulid));
    await sleep(random.between(0, 3_000));
    await deleteNow(context, video);
  },
});

export const deletionFaults: FaultSet = {
  faults: [
    ...stateNames.map(deletedAs),
    deletedAsItIsEncoded,
    deletedAtWork('a video is deleted while it is processed again', ({ client }, ulid) => client.reprocess(ulid)),
    deletedAtWork('a video is deleted while a stream is added to it', async ({ client }, ulid) => {
      const { id } = await client.getVideo(ulid);
      await client.addStream({ video_id: id, name: 'Small', type: 'video', input_params: smallStream });
    }),
  ],
};

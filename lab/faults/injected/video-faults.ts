import { setTimeout as sleep } from 'node:timers/promises';
import { Refused } from '../../../test/journey/support/client.ts';
import { send } from '../service/service-processes.ts';
import type { FaultContext, FaultSet } from './fault.ts';

const isFinal = (status: string): boolean => status === 'completed' || status === 'failed';

/** Includes the message of a worker whose fault used the last attempt. */
const poisoned = { failed: /^(ENCODER_FAILED|DISK_FULL): / };

/** No worker survives the job: the video must end nevertheless, and other videos must continue. */
async function poison(context: FaultContext): Promise<void> {
  const { client, startVideo, encodersOf, note } = context;
  const video = await startVideo({ template: 'slow', ends: poisoned });
  let killed = 0;
  let hasEnded = false;
  const watch = async (): Promise<void> => {
    while (!hasEnded) {
      await sleep(1000);
      hasEnded = await client.getVideo(video.ulid).then(
        ({ status }) => isFinal(status),
        () => false,
      );
    }
  };
  const watching = watch();
  while (!hasEnded) {
    for (const { encoder } of await encodersOf(video)) if (send(encoder, 'SIGSEGV')) killed++;
    await sleep(20);
  }
  await watching;
  note(`ffmpeg died ${killed} times, ${video.ulid}`);
}

/** A repeated request may find nothing, because the first was processed without a response. */
export const remove = (client: FaultContext['client'], ulid: string): Promise<unknown> =>
  client.remove(`/api/videos/${ulid}`).catch((error: unknown) => {
    if (!(error instanceof Refused && error.status === 404)) throw error;
  });

async function deleteAtWork({ client, startVideo, random, note }: FaultContext): Promise<string> {
  const { ulid } = await startVideo({ template: 'slow', ends: 'deleted' });
  await client.waitFor(ulid, () => true);
  const waitMs = random.between(0, 5_000);
  await sleep(waitMs);
  await remove(client, ulid);
  note(`${waitMs} ms after it had come, ${ulid}`);
  return ulid;
}

export const videoFaults: FaultSet = {
  faults: [
    { name: 'a file that crashes ffmpeg each time', inject: poison },
    {
      name: 'a video is deleted while it is processed',
      weight: 3,
      inject: async (context) => void (await deleteAtWork(context)),
    },
    {
      name: 'a video is deleted while it is processed, then all processes are killed',
      weight: 2,
      async inject(context) {
        await deleteAtWork(context);
        await context.service.restart({ signal: 'SIGKILL', workersToo: true });
      },
    },
  ],
};

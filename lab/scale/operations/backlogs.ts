import { admitWaiting, releaseSlot } from '../../../functions/admission/admission.ts';
import { newUlid } from '../../../functions/common/ids.ts';
import { expireLeases } from '../../../functions/queue/expire-leases.ts';
import { reconcileUploads } from '../../../functions/reconcile/reconcile-uploads.ts';
import { hasOwnSlot } from '../../../functions/table/admission/slots.ts';
import { firstWaiting } from '../../../functions/table/admission/waiting-line.ts';
import { firstDue } from '../../../functions/table/items/due-pages.ts';
import type { Video } from '../../../functions/table/records.ts';
import { createPerson } from '../../../test/fixtures/create-person.ts';
import { queueProbe } from '../../../test/fixtures/records/queue-probe.ts';
import type { Actors } from '../table/actors.ts';
import { storeWaitingVideo } from '../table/store-records.ts';
import { answered } from './api-calls.ts';
import type { Operation } from './operation.ts';

/** How many of a backlog a measurement works through. The others are worked through in the same way. */
const part = 300;
const minuteMilliseconds = 60_000;

/** What is done after an outage, while new work arrives. */
export function backlogs({ owner, template, nodes, running }: Actors): Operation[] {
  const limits = () => ({ untilMilliseconds: Date.now() + 60 * minuteMilliseconds, concurrency: 20, maxItems: part });
  /** The earliest time in a list of what is due. */
  const front = async (kind: 'pool-lease' | 'upload'): Promise<string> =>
    String((await firstDue(kind, 1))[0]?.dueAt ?? '');
  /** Works through a part of the oldest records, and does something new at the same time. */
  async function recover(kind: 'pool-lease' | 'upload', drained: Promise<number>, newWork: Promise<unknown>) {
    let isDrained = false;
    const drain = drained.finally(() => {
      isDrained = true;
    });
    await newWork;
    if (isDrained) throw new Error('the backlog was worked through before the new work');
    const count = await drain;
    if (count !== part) throw new Error(`${count} of ${part} were worked through`);
    return front(kind);
  }
  let before = '';
  let newcomer: Video;
  const mustAdvance = (after: string): void => {
    if (after < before) throw new Error(`older ones than ${before} were left: ${after}`);
    before = after;
  };
  return [
    {
      name: `backlog of expired leases: ${part} of them, and a new job`,
      calls: part,
      async prepare() {
        before = await front('pool-lease');
        await queueProbe(owner.user);
      },
      async run() {
        const token = nodes[0]!.token;
        const lease = async () => {
          const body = { worker: 'w1', epoch: newUlid(), version: '1' };
          const { json } = await answered('POST /api/workers/sync', { token, body });
          if (!json.lease) throw new Error('the new job was not leased');
        };
        mustAdvance(await recover('pool-lease', expireLeases(limits()), lease()));
      },
    },
    {
      name: `backlog of expired uploads: ${part} of them, and a new upload`,
      calls: part,
      async prepare() {
        before = await front('upload');
      },
      async run() {
        const body = { filename: 'a.mp4', metadata: { template: template.ulid } };
        const upload = answered('POST /api/objstore/multipart', { token: owner.token, body });
        const drained = reconcileUploads(limits()).then(({ abandoned }) => abandoned);
        mustAdvance(await recover('upload', drained, upload));
      },
    },
    {
      name: `backlog of waiting videos: ${running.length} slots, and a new user`,
      calls: running.length,
      async prepare() {
        const { user } = await createPerson();
        newcomer = (await storeWaitingVideo(user, template)).video;
      },
      async run() {
        const [oldest] = await firstWaiting({ users: 1, videosOfUser: 1 });
        for (const video of running) await releaseSlot(video);
        await admitWaiting();
        if (!oldest || !(await hasOwnSlot(oldest.videoUlid))) throw new Error('the oldest video waits still');
        if (!(await hasOwnSlot(newcomer.ulid))) throw new Error('the video of a new user waits for all others');
      },
    },
  ];
}

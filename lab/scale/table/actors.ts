import { createHash, randomBytes } from 'node:crypto';
import { hasSlot } from '../../../functions/admission/admission.ts';
import { transact } from '../../../functions/table/items/items.ts';
import { storePoolToken } from '../../../functions/table/nodes/pool-node.ts';
import type { Template, User, Video } from '../../../functions/table/records.ts';
import { markWorking } from '../../../functions/table/writes/video-writes.ts';
import { timestamp } from '../../../shared/clock.ts';
import { createPerson } from '../../../test/fixtures/create-person.ts';
import { storeNode } from '../../../test/fixtures/records/store-node.ts';
import { storeProxy, storeVideo } from '../../../test/fixtures/records/store-video.ts';
import { runningVideos } from '../other-services.ts';

/** Calls at the same time. At 1,000 results a second they are more. */
export const workers = 32;

/** A node that no check takes for silent while the table is filled. */
export const neverSilent = () => ({ activeSince: timestamp(Date.now() + 24 * 3600 * 1000) });

type Person = { user: User; token: string };

/** Who calls in every measurement, with a page of videos. */
export type Actors = {
  admin: Person;
  owner: Person;
  video: Video;
  template: Template;
  /** videos that have a slot */
  running: readonly Video[];
  /** one for each worker */
  nodes: readonly { token: string }[];
  pool: { token: string };
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const newSecret = (): string => randomBytes(32).toString('base64url');

export async function storeActors(): Promise<Actors> {
  const [admin, owner] = [await createPerson({ isAdmin: true }), await createPerson()];
  const { video, template } = await storeVideo(owner.user);
  for (let count = 1; count < 15; count++) await storeVideo(owner.user, { template });
  const poolSecret = newSecret();
  const nodes: { token: string }[] = [];
  for (let count = 0; count < workers; count++) {
    const secret = newSecret();
    const { ulid } = await storeNode({ tokenHash: sha256(secret), ...neverSilent() });
    nodes.push({ token: `${ulid}.${secret}` });
  }
  const running: Video[] = [];
  for (let count = 0; count < runningVideos; count++) {
    const { video: ofSlot } = await storeVideo(owner.user, { template, status: 'running' });
    await transact([markWorking(ofSlot.ulid)]);
    await hasSlot(ofSlot);
    running.push(ofSlot);
  }
  await storeProxy('proxy.example.com');
  await storePoolToken(poolSecret);
  return {
    admin,
    owner,
    video,
    template,
    running,
    nodes,
    pool: { token: `pool.${poolSecret}` },
  };
}

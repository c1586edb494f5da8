import { newUlid } from '../../../functions/common/ids.ts';
import { enqueueWaiting } from '../../../functions/table/admission/waiting-line.ts';
import { transact } from '../../../functions/table/items/items.ts';
import type { Template, User } from '../../../functions/table/records.ts';
import { addUpload } from '../../../functions/table/uploads/upload-table.ts';
import { markWorking } from '../../../functions/table/writes/video-writes.ts';
import { timestamp } from '../../../shared/clock.ts';
import { uploadKey } from '../../../shared/object-keys.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { storeNode } from '../../fixtures/records/store-node.ts';
import { storeVideo } from '../../fixtures/records/store-video.ts';
import { type Actors, neverSilent } from './actors.ts';
import { metItems, type Prototype } from './clones.ts';
import type { ScaleTable } from './scale-table.ts';

/** How many records of each kind a table holds. */
export type Population = { users: number; videos: number; waiting: number; uploads: number; nodes: number };

/** As many records of each kind are stored by the service: copies are spread over shards as these are. */
const prototypesOfKind = 16;

/** Fills the table with copies of records that the service has stored. Returns the number of items. */
export async function fillTable(
  table: ScaleTable,
  population: Population,
  { owner, template }: Actors,
): Promise<number> {
  const uploader = await createPerson();
  const makers: Record<keyof Population, () => Promise<unknown>> = {
    users: () => createPerson(),
    videos: () => storeVideo(owner.user, { template }),
    waiting: () => storeWaitingVideo(owner.user, template),
    uploads: () => storeOpenUpload(uploader.user, template),
    nodes: () => storeNode({ ...neverSilent(), lastSeenAt: neverSilent().activeSince }),
  };
  const prototypes = new Map<keyof Population, Prototype[]>();
  for (const [kind, make] of Object.entries(makers)) {
    if (population[kind as keyof Population] > 0) {
      prototypes.set(kind as keyof Population, await storePrototypes(table, make));
    }
  }
  // Every second video is the owner's, so that one user has a list as long as the table.
  const ofOwner = [owner.user.ulid];
  const kept = (kind: string) => (copy: number) => (kind === 'videos' && copy % 2 === 0 ? ofOwner : []);
  const fills = [...prototypes].map(([kind, ofKind], number) => {
    const count = Math.max(0, population[kind] - prototypesOfKind);
    return { kind: number.toString(16), count, prototypes: ofKind, kept: kept(kind) };
  });
  return table.fill(fills);
}

async function storePrototypes(table: ScaleTable, make: () => Promise<unknown>): Promise<Prototype[]> {
  const stored: Prototype[] = [];
  let before = await table.items();
  for (let count = 0; count < prototypesOfKind; count++) {
    await make();
    const after = await table.items();
    stored.push({ items: metItems([...after].flatMap(([key, item]) => (before.has(key) ? [] : [item]))) });
    before = after;
  }
  return stored;
}

async function storeWaitingVideo(user: User, template: Template): Promise<void> {
  const { video } = await storeVideo(user, { status: 'pending', template });
  await transact([markWorking(video.ulid)]);
  await enqueueWaiting(video);
}

/** Stores an open upload as the API does. */
export async function storeOpenUpload(user: User, template: Template, { createdAt = timestamp() } = {}): Promise<void> {
  const ulid = newUlid();
  const facts = { fileName: 'clip.mp4', contentType: 'video/mp4', externalUserId: null, externalResourceId: null };
  await addUpload(
    {
      ...{ ulid, ownerUlid: user.ulid, key: uploadKey(user.ulid, ulid, facts.fileName), ...facts },
      ...{ store: 'multipart', s3UploadId: 'x', status: 'open', templateUlid: template.ulid, createdAt },
    },
    null,
  );
}

import { createPerson } from '../../../test/fixtures/create-person.ts';
import { storeNode } from '../../../test/fixtures/records/store-node.ts';
import { type Actors, neverSilent } from './actors.ts';
import { type Backlog, backlogMakers } from './backlog.ts';
import { metItems, type Prototype } from './clones.ts';
import type { ScaleTable } from './scale-table.ts';
import { prototypesOfKind, storeOpenUpload, storeVideoWithCaptions, storeWaitingVideo } from './store-records.ts';

/** How many records of each kind a table holds. */
export type Population = { users: number; videos: number; waiting: number; uploads: number; nodes: number };

type Kind = keyof Population | keyof Backlog;

/** Fills the table with copies of records that the service has stored. Returns the number of items. */
export async function fillTable(
  table: ScaleTable,
  population: Population & Backlog,
  { owner, template }: Actors,
): Promise<number> {
  const uploader = await createPerson();
  const backlog = await backlogMakers(template);
  let videos = 0;
  const makers: Record<Kind, () => Promise<unknown>> = {
    ...backlog.makers,
    users: () => createPerson(),
    videos: () => storeVideoWithCaptions(owner.user, { template, tags: ['family', 'summer'], number: videos++ }),
    waiting: () => storeWaitingVideo(owner.user, template),
    // Not due for a check, however long the fill takes.
    uploads: () => storeOpenUpload(uploader.user, template, { createdAt: neverSilent().activeSince }),
    nodes: () => storeNode({ ...neverSilent(), lastSeenAt: neverSilent().activeSince }),
  };
  // The counts of its tags exist before the videos that are copied: all of these share them.
  if (population.videos > 0) await makers.videos();
  const prototypes = new Map<Kind, Prototype[]>();
  for (const [kind, make] of Object.entries(makers)) {
    if (population[kind as Kind] > 0) prototypes.set(kind as Kind, await storePrototypes(table, make));
  }
  // Every second video is the owner's, so that one user has a list as long as the table.
  const ofOwner = [owner.user.ulid];
  const kept = (kind: Kind) => (copy: number) => {
    if (kind === 'waitingVideos') return backlog.waitingUsers;
    return kind === 'videos' && copy % 2 === 0 ? ofOwner : [];
  };
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

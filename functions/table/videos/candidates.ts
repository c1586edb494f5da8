import { encodeTime } from 'ulid';
import type { VideoStatus } from '../../contracts/statuses.ts';
import { queryIndex } from '../items/items.ts';
import { type Key, keys, type ListedBy, listedPosition, listKey, statusSort, ulidIn } from '../items/keys.ts';
import { queryRangeLatest } from '../items/ranges.ts';

/** A video by its position in the lists of its owner. Positions are in order of creation. */
export type Candidate = { position: string; ulid: string };

/** Both included. */
export type PositionRange = { from: string; to: string };

/** The newest candidates within a range of positions, the newest first. */
export type FindCandidates = (range: PositionRange, limit: number) => Promise<Candidate[]>;

/** The positions of the videos that were created in a time, both ends included. */
export const positionsBetween = (fromMilliseconds = 0, toMilliseconds?: number): PositionRange => ({
  from: `${encodeTime(fromMilliseconds)}${'0'.repeat(16)}`,
  to: toMilliseconds === undefined ? 'Z'.repeat(26) : `${encodeTime(toMilliseconds)}${'Z'.repeat(16)}`,
});

/** All videos of an owner. */
export const findAll =
  (ownerUlid: string): FindCandidates =>
  async ({ from, to }, limit) => {
    const found = await queryIndex('byOwner', listKey(ownerUlid, 'video'), { from, upTo: to, limit, descending: true });
    return found.map((item) => candidate(item, item.ownerSort, ''));
  };

/** The videos of an owner that have a status, from an eventually consistent index. */
export const findByStatus =
  (ownerUlid: string, status: VideoStatus): FindCandidates =>
  async ({ from, to }, limit) => {
    const bounds = { from: statusSort(status, from), upTo: statusSort(status, to) };
    const found = await queryIndex('byStatus', ownerUlid, { ...bounds, limit, descending: true });
    return found.map((item) => candidate(item, item.statusSort, statusSort(status, '')));
  };

/** The videos of an owner that are listed by a value. */
export const findListed =
  (ownerUlid: string, by: ListedBy, value: string): FindCandidates =>
  async ({ from, to }, limit) => {
    const first = keys.listed(ownerUlid, by, value, from);
    const found = await queryRangeLatest(first.pk, first.sk, keys.listed(ownerUlid, by, value, to).sk, limit);
    return found.map((item) => ({ position: listedPosition(item).position, ulid: String(item.ulid) }));
  };

const candidate = (key: Key, sort: unknown, prefix: string): Candidate => ({
  position: String(sort).slice(prefix.length),
  ulid: ulidIn(key),
});

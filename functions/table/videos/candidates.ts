import { encodeTime } from 'ulid';
import type { VideoStatus } from '../../contracts/statuses.ts';
import { queryIndex } from '../items/items.ts';
import { type Key, keys, type ListedBy, listedPlace, listKey, statusSort, ulidIn } from '../items/keys.ts';
import { queryRangeLatest } from '../items/ranges.ts';

/** A video by its place in the lists of its owner. Places are in order of creation. */
export type Candidate = { place: string; ulid: string };

/** Both included. */
export type PlaceRange = { from: string; to: string };

/** The newest candidates within a range of places, the newest first. */
export type FindCandidates = (range: PlaceRange, limit: number) => Promise<Candidate[]>;

/** The places of the videos that were created in a time, both ends included. */
export const placesBetween = (fromMilliseconds = 0, toMilliseconds?: number): PlaceRange => ({
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
    return found.map((item) => ({ place: listedPlace(item).place, ulid: String(item.ulid) }));
  };

const candidate = (key: Key, sort: unknown, prefix: string): Candidate => ({
  place: String(sort).slice(prefix.length),
  ulid: ulidIn(key),
});

import { openJournal } from '../../durable/change-journal.ts';

/** A part of a shard whose records are delivered one batch at a time. `lanes` is the parallelization factor. */
export type Lane = { mapping: string; shardId: string; lane: number; lanes: number };

/** The last sequence number of each lane. Undefined for a lane without a checkpoint. */
type Shard = Pick<Lane, 'mapping' | 'shardId'> & { sequences: (string | undefined)[] };
type Change = Lane & { sequence: string };

export type Checkpoints = Awaited<ReturnType<typeof openCheckpoints>>;

/**
 * Up to which record each mapping has delivered each shard. A checkpoint follows its batch, so a kill between both
 * repeats the batch.
 */
export async function openCheckpoints(path: string) {
  const shards = new Map<string, Shard>();
  const keyOf = ({ mapping, shardId }: Pick<Lane, 'mapping' | 'shardId'>): string => `${mapping} ${shardId}`;

  /** With another parallelization factor each lane starts where the slowest one was. */
  function sequencesOf(lane: Lane): (string | undefined)[] {
    const { sequences = [] } = shards.get(keyOf(lane)) ?? {};
    if (sequences.length === lane.lanes) return sequences;
    const slowest = sequences.includes(undefined) ? undefined : (sequences as string[]).toSorted()[0];
    return Array.from({ length: lane.lanes }, () => slowest);
  }

  function apply({ sequence, ...lane }: Change): void {
    const { mapping, shardId } = lane;
    shards.set(keyOf(lane), { mapping, shardId, sequences: sequencesOf(lane).with(lane.lane, sequence) });
  }

  const journal = await openJournal({
    path,
    replay: (record) => apply(record as Change),
    snapshot: () =>
      [...shards.values()].flatMap(({ mapping, shardId, sequences }) =>
        sequences.flatMap((sequence, lane) =>
          sequence === undefined ? [] : [{ mapping, shardId, lane, lanes: sequences.length, sequence }],
        ),
      ),
  });

  return {
    get: (lane: Lane): string | undefined => sequencesOf(lane)[lane.lane],
    /** Does not wait for the disk: what a power failure loses is delivered again. */
    async set(lane: Lane, sequence: string): Promise<void> {
      apply({ ...lane, sequence });
      await journal.append({ ...lane, sequence }, { lazy: true });
    },
    close: journal.close,
  };
}

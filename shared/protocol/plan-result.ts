/** A list in the bucket, for a distributed map over it: its object has `count` chunks. An empty list has no object. */
export type ChunkList = { bucket: string; key: string; count: number };

export type ListedChunk = { group: number; index: number };

/**
 * What the function of the state Plan returns. The states after it read it as `$plan`, in expressions that
 * `test/infra/state-machine/definition.test.ts` compares with this type.
 */
export type PlanResult = {
  /** With a measurement of quality, those that do not wait for it. */
  chunks: ChunkList;
  waitingChunks: ChunkList;
  isMeasured: boolean;
  audio: { index: number }[];
  thumbnails: boolean;
  captions: boolean;
  /** `parts` are the package jobs of an output that is remuxed. */
  outputs: { outputUlid: string; remux: boolean; parts: ListedChunk[] }[];
};

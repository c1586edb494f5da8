/** Bytes from `start` to `end`, exclusive. */
export type OriginRange = { start: number; end: number };

export type OriginResponse = {
  status: number;
  /** By name in lower case. A list of values is sent as repeated headers. */
  headers: Record<string, string | string[]>;
  chunks: Buffer[];
  /** The size of the whole object, of which a response with a range has a part. */
  sizeBytes: number;
  range?: OriginRange;
  headersOnly?: boolean;
};

/** A request of a viewer after its function, with what the policies of the behaviour forward to the origin. */
export type OriginRequest = {
  method: string;
  /** As the function left it: encoded, without the query. */
  path: string;
  query: string;
  /** Names and values alternating. */
  rawHeaders: string[];
  httpVersion: string;
  body: AsyncIterable<Buffer>;
};

export type Origin = {
  /** Its Host header, unless a policy forwards that of the viewer. */
  hostName: string;
  /** Whether `fetch` can return a part of an object. */
  hasRanges: boolean;
  fetch: (
    request: OriginRequest,
    part?: { range?: OriginRange; headersOnly?: boolean; headers?: Record<string, string> },
  ) => Promise<OriginResponse>;
};

/** The body of a webhook and the detail of an event on the bus. */
export type EventBody = { type: string; timestamp: string; data: Record<string, unknown> };

/** Bodies are below 20 kB, as Standard Webhooks recommends, so that every receiver accepts them. */
export const maxBodyBytes = 20_000;

type Data = Record<string, unknown>;

/**
 * What is left out of a record that is too large, one after the other until it fits. The API shows all of it.
 */
const reductions: readonly ((data: Data) => Data)[] = [
  // What was found about the tracks of the source.
  (data) => eachStream(data, ({ meta, ...stream }) => ({ ...stream, meta: withoutTracks(meta) })),
  (data) => eachStream(data, (stream) => ({ ...stream, meta: {} })),
  // The streams of an output are among those of the video.
  (data) => ('outputs' in data ? { ...data, outputs: listOf(data.outputs).map(withoutStreams) } : data),
  (data) => ('template' in data ? { ...data, template: null } : data),
  (data) => eachStream(data, (stream) => ({ ...stream, input_params: {}, error_log: null })),
  (data) => withoutStreams(data),
  (data) => ('outputs' in data ? { ...data, outputs: [] } : data),
  (data) => ('metadata' in data ? { ...data, metadata: {} } : data),
];

/** The text of a body, shortened if necessary. */
export function eventBody(type: string, timestamp: string, data: Data): string {
  let text = JSON.stringify({ type, timestamp, data } satisfies EventBody);
  let left = data;
  for (const reduce of reductions) {
    if (Buffer.byteLength(text) < maxBodyBytes) return text;
    left = reduce(left);
    text = JSON.stringify({ type, timestamp, data: { ...left, shortened: true } } satisfies EventBody);
  }
  if (Buffer.byteLength(text) < maxBodyBytes) return text;
  // No record is so large without its lists; its names have at most 255 characters.
  const { ulid, sequence } = data;
  return JSON.stringify({ type, timestamp, data: { ulid, sequence, shortened: true } } satisfies EventBody);
}

const isRecord = (value: unknown): value is Data => typeof value === 'object' && value !== null;
const listOf = (value: unknown): Data[] => (Array.isArray(value) ? value.filter(isRecord) : []);

const withoutStreams = (data: Data): Data => ('streams' in data ? { ...data, streams: [] } : data);

const withoutTracks = (meta: unknown): unknown => {
  if (!isRecord(meta)) return meta;
  const { streams: _, ...rest } = meta;
  return rest;
};

/** Changes the streams of a video, those of each of its outputs, or the stream that the record is. */
function eachStream(data: Data, change: (stream: Data) => Data): Data {
  const changed = 'meta' in data && 'input_params' in data ? change(data) : data;
  const streams = 'streams' in changed ? { streams: listOf(changed.streams).map(change) } : {};
  const outputs =
    'outputs' in changed ? { outputs: listOf(changed.outputs).map((output) => eachStream(output, change)) } : {};
  return { ...changed, ...streams, ...outputs };
}

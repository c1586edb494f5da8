import type { Output, Stream } from '../table/records.ts';

/** The name that users know an output by. The file of a muxed stream goes by the stream's name, which its owner gave and can change. */
export function outputName({ name, streams }: Pick<Output, 'name' | 'streams'>, all: readonly Stream[]): string {
  const muxed = all.find(({ ulid, type }) => type === 'muxed' && streams.includes(ulid));
  return muxed?.name ?? name;
}

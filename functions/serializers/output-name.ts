import type { Output, Stream } from '../table/records.ts';

/** The displayed name of an output. The output of a muxed stream has the stream's name, which the owner can change. */
export function outputName({ name, streams }: Pick<Output, 'name' | 'streams'>, all: readonly Stream[]): string {
  const muxed = all.find(({ ulid, type }) => type === 'muxed' && streams.includes(ulid));
  return muxed?.name ?? name;
}

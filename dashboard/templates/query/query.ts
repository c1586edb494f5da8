/** template.query as the user wrote it: valid JSON that may still break every rule of the API. */
export type Query = Readonly<Record<string, unknown>>;
type Entry = Readonly<Record<string, unknown>>;
/** The keys of a query whose values are lists of objects. */
type EntryList = 'video' | 'audio' | 'outputs' | 'deliver';

export type Parsed = { query: Query; fault?: never } | { query?: never; fault: string };

/** @returns the query of a JSON text, or what is wrong with the text */
export function parseQuery(json: string): Parsed {
  try {
    const value: unknown = JSON.parse(json);
    return isEntry(value) ? { query: value } : { fault: 'not an object' };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

export const queryJson = (query: Query): string => JSON.stringify(query, undefined, 2);

const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects of a list. Other values in it are left alone by `changeEntries`, and not shown in the form. */
export const entriesOf = (query: Query, list: EntryList): Entry[] => {
  const value = query[list];
  return Array.isArray(value) ? value.filter(isEntry) : [];
};

export const ladderOf = ({ ladder }: Query): Entry | undefined => (isEntry(ladder) ? ladder : undefined);

export const captionsOf = ({ captions }: Query): Entry | undefined => (isEntry(captions) ? captions : undefined);

export const thumbnailsOf = ({ thumbnails }: Query, key: 'images' | 'preview'): Entry | undefined => {
  const value = isEntry(thumbnails) ? thumbnails[key] : undefined;
  return isEntry(value) ? value : undefined;
};

/** Sets a part of `thumbnails`, or removes it for undefined. */
export function withThumbnails(query: Query, key: 'images' | 'preview', value: Entry | undefined): Query {
  const changed = withKey(isEntry(query.thumbnails) ? query.thumbnails : {}, key, value);
  return withKey(query, 'thumbnails', Object.keys(changed).length === 0 ? undefined : changed);
}

/** Sets a key, or removes it for undefined. */
export function withKey(entry: Entry, key: string, value: unknown): Entry {
  const { [key]: _, ...others } = entry;
  if (value === undefined) return others;
  return key in entry ? { ...entry, [key]: value } : { ...others, [key]: value };
}

export const changeEntries = (query: Query, list: EntryList, change: (entry: Entry) => Entry): Query => {
  const value = query[list];
  if (!Array.isArray(value)) return query;
  return withKey(
    query,
    list,
    value.map((entry: unknown) => (isEntry(entry) ? change(entry) : entry)),
  );
};

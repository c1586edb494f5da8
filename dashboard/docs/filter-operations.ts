/** The parts of Swagger UI's Immutable.js collections that are used here. */
type Operation = { get(key: 'path' | 'method'): string; getIn(path: readonly string[]): unknown };
type Operations = { filter(keep: (operation: Operation) => boolean): Operations; size: number };
type Tag = { get(key: 'operations'): Operations; set(key: 'operations', operations: Operations): Tag };
type Tags = {
  map(change: (tag: Tag, name: string) => Tag): Tags;
  filter(keep: (tag: Tag) => boolean): Tags;
};

/** The operations whose tag, path, method, summary or id has all words. Swagger UI compares the tags alone. */
export function filterOperations(tags: Tags, phrase: string): Tags {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (name: string, operation: Operation): boolean => {
    const texts = [
      name,
      operation.get('path'),
      operation.get('method'),
      operation.getIn(['operation', 'summary']),
      operation.getIn(['operation', 'operationId']),
    ];
    const all = texts.join(' ').toLowerCase();
    return words.every((word) => all.includes(word));
  };
  return tags
    .map((tag, name) =>
      tag.set(
        'operations',
        tag.get('operations').filter((operation) => matches(name, operation)),
      ),
    )
    .filter((tag) => tag.get('operations').size > 0);
}

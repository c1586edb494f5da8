/** The pairs of a video as lines `key = value`, for a text field. */
export const metadataLines = (metadata: Readonly<Record<string, string>>): string =>
  Object.entries(metadata)
    .map(([key, value]) => `${key} = ${value}`)
    .join('\n');

/** What changes the pairs of a video into those of a text field: null removes one. */
export function metadataChanges(
  present: Readonly<Record<string, string>>,
  typed: string,
): Record<string, string | null> {
  const wanted = Object.fromEntries(
    typed
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const at = line.includes('=') ? line.indexOf('=') : line.length;
        return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      }),
  ) as Record<string, string>;
  const removed = Object.keys(present).filter((key) => !Object.hasOwn(wanted, key));
  const changed = Object.entries(wanted).filter(([key, value]) => present[key] !== value);
  return Object.fromEntries([...removed.map((key) => [key, null] as const), ...changed]);
}

/** An instant in the form of an input for date and time, in the time zone of the browser. */
export function localInput(instant: string): string {
  const date = new Date(instant);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Whether the run executes all cases, as `npm run test:long` does. */
const isComplete = process.env.ALL_CASES === '1';

/**
 * The named cases, or all of them with ALL_CASES=1. A case takes about a second of CPU time, most of it for
 * starts of ffmpeg.
 * @throws when a name is not that of a case
 */
export function sampled<Case extends { name: string } | readonly [string, ...unknown[]]>(
  cases: readonly Case[],
  names: readonly string[],
  allCases = isComplete,
): Case[] {
  const named = names.map((name) => {
    const found = cases.find((one) => ('name' in one ? one.name : one[0]) === name);
    if (!found) throw new Error(`There is no case "${name}".`);
    return found;
  });
  return allCases ? [...cases] : named;
}

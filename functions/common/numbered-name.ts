/** The name, or the first of name-2, name-3, … that is not in `taken`. Adds the result to `taken`. */
export function numberedName(name: string, taken: Set<string>): string {
  let result = name;
  for (let number = 2; taken.has(result); number++) result = `${name}-${number}`;
  taken.add(result);
  return result;
}

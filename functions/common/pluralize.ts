/** A number with its noun: `1 video`, `2 videos`. */
export const pluralize = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

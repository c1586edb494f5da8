/** A number of things in words: `1 video`, `2 videos`. */
export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

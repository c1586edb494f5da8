export type QuotaShare = {
  /** used and reserved, of the limit; at most 1 */
  share: number;
  state: 'free' | 'near' | 'over';
};

/** From this share on the user is warned. */
const nearShare = 0.9;

/** How much of a limit is taken. Undefined without a limit. A limit of 0 is used up from the start. */
export function quotaShare(
  { used, reserved }: { used: number; reserved: number },
  limit: number | null | undefined,
): QuotaShare | undefined {
  if (limit === null || limit === undefined) return undefined;
  const share = limit === 0 ? 1 : (used + reserved) / limit;
  return { share: Math.min(share, 1), state: share >= 1 ? 'over' : share >= nearShare ? 'near' : 'free' };
}

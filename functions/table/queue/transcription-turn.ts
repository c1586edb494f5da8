import * as z from 'zod';
import { nowSeconds } from '../../../shared/clock.ts';
import { tryWrite } from '../items/conditional.ts';
import { getItem } from '../items/items.ts';
import { keys } from '../items/keys.ts';

const turnRecord = z.object({ untilSeconds: z.number() });

/** Of a record in the past there is nothing to know. */
const keptSeconds = 3600;

/**
 * When the transcription of a user's video begins, if those of all their videos begin one after the other. So the first
 * video of one user comes before the tenth of another who asked earlier.
 * @param takenSeconds until the next one begins
 * @returns seconds since 1970
 */
export async function takeTranscriptionTurn(userUlid: string, takenSeconds: number): Promise<number> {
  const key = keys.transcriptionTurn(userUlid);
  for (;;) {
    const stored = await getItem(turnRecord, key);
    const fromSeconds = Math.max(nowSeconds(), stored?.untilSeconds ?? 0);
    const untilSeconds = fromSeconds + Math.round(takenSeconds);
    const put = { ...key, kind: 'transcription-turn', untilSeconds, expiresAt: untilSeconds + keptSeconds };
    const when = stored ? { equals: { untilSeconds: stored.untilSeconds } } : { exists: false };
    if (await tryWrite({ put, when })) return fromSeconds;
  }
}

/** What ffmpeg 5, 6 and 7 say of a packet that a decoder could make nothing of. */
const refusal = /Error while decoding stream|Error submitting packet to decoder|Decoding error:/;
export const isRefusal = (line: string): boolean => refusal.test(line);
const repetition = /^\s*Last message repeated (\d+) times/;

/** How many packets the decoders refused, as far back as the messages reach. */
export function refusedPackets(stderrTail: string): number {
  let [refused, wasRefusal] = [0, false];
  for (const line of stderrTail.split('\n')) {
    const repeated = repetition.exec(line)?.[1];
    if (repeated !== undefined) {
      if (wasRefusal) refused += Number(repeated);
      continue;
    }
    wasRefusal = isRefusal(line);
    if (wasRefusal) refused += 1;
  }
  return refused;
}

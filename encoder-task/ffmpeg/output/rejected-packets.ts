/** Messages of ffmpeg 5, 6 and 7 about a packet that a decoder rejects. */
const rejection = /Error while decoding stream|Error submitting packet to decoder|Decoding error:/;
export const isRejection = (line: string): boolean => rejection.test(line);
const repetition = /^\s*Last message repeated (\d+) times/;

/** Number of rejected packets in the tail of the messages. */
export function rejectedPackets(stderrTail: string): number {
  let [rejected, wasRejection] = [0, false];
  for (const line of stderrTail.split('\n')) {
    const repeated = repetition.exec(line)?.[1];
    if (repeated !== undefined) {
      if (wasRejection) rejected += Number(repeated);
      continue;
    }
    wasRejection = isRejection(line);
    if (wasRejection) rejected += 1;
  }
  return rejected;
}

/** A packet of a text track, in seconds of the source. The duration is null when the container has none. */
export type TextPacket = { streamIndex: number; startSeconds: number; durationSeconds: number | null; bytes: Buffer };

/** No subtitle is longer. The bytes of a longer packet are not kept. */
export const maxPacketBytes = 64 * 1024;

/** `00000010: 776f 726c 643c …  world<…`: an offset, then at most 16 bytes in groups of two. */
const dumpLine = /^[0-9a-f]{8,}: ((?:[0-9a-f]{2,4} ?){1,8}) /;

/**
 * Reads the output of `textPacketsArgs`, line by line, and calls `onPacket` for each packet with a time. `bytes` is
 * empty for a packet that is too long.
 */
export function createTextPacketReader(onPacket: (packet: TextPacket) => void): (line: string) => void {
  let fields: Record<string, string> = {};
  let dump: string[] = [];
  return (line) => {
    if (line === '[PACKET]') [fields, dump] = [{}, []];
    else if (line === '[/PACKET]') {
      const packet = packetOf(fields, dump);
      if (packet) onPacket(packet);
      dump = [];
    } else {
      const bytes = dumpLine.exec(line)?.[1];
      if (bytes === undefined) {
        const [key = '', value = ''] = line.split('=', 2);
        if (key !== '') fields[key] = value;
      } else if (Number(fields.size) <= maxPacketBytes) dump.push(bytes.replaceAll(' ', ''));
    }
  };
}

function packetOf(fields: Record<string, string>, dump: string[]): TextPacket | undefined {
  const [streamIndex, startSeconds, durationSeconds] = [fields.stream_index, fields.pts_time, fields.duration_time].map(
    Number,
  );
  if (!Number.isInteger(streamIndex) || !Number.isFinite(startSeconds)) return undefined;
  return {
    streamIndex: streamIndex!,
    startSeconds: startSeconds!,
    durationSeconds: durationSeconds! > 0 ? durationSeconds! : null,
    bytes: Buffer.from(dump.join(''), 'hex'),
  };
}

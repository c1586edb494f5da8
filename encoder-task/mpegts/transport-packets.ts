const syncByte = 0x47;
/** M2TS packets have a timestamp of four bytes. */
const packetLengths = [188, 192];
const checkedPackets = 4;

/** Packet size of a transport stream from its first sync bytes. Undefined when the file is not a transport stream. */
export function transportPacketBytes(head: Buffer): number | undefined {
  const first = head.indexOf(syncByte);
  return packetLengths.find((length) =>
    Array.from({ length: checkedPackets }, (_, packet) => head[first + packet * length]).every(
      (byte) => byte === syncByte,
    ),
  );
}

/** The packets at the beginning of a transport stream, each from its sync byte on. */
export function* transportPackets(head: Buffer): Generator<Buffer> {
  const length = transportPacketBytes(head);
  if (length === undefined) return;
  for (let at = head.indexOf(syncByte); at + length <= head.length; at += length) yield head.subarray(at, at + length);
}

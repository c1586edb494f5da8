const syncByte = 0x47;
/** With a time in front of each packet they are four bytes longer. */
const packetLengths = [188, 192];
const packetsLookedAt = 4;

/** How long the packets of a transport stream are, by the sync bytes of its first ones. Undefined for what is no transport stream. */
export function transportPacketBytes(head: Buffer): number | undefined {
  const first = head.indexOf(syncByte);
  return packetLengths.find((length) =>
    Array.from({ length: packetsLookedAt }, (_, packet) => head[first + packet * length]).every(
      (byte) => byte === syncByte,
    ),
  );
}

/** The packets of a transport stream's beginning, each from its sync byte on. */
export function* transportPackets(head: Buffer): Generator<Buffer> {
  const length = transportPacketBytes(head);
  if (length === undefined) return;
  for (let at = head.indexOf(syncByte); at + length <= head.length; at += length) yield head.subarray(at, at + length);
}

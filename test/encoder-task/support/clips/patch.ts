/** A copy of a file after `change`. */
export function patched(bytes: Buffer, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes);
  change(copy);
  return copy;
}

/** Replaces texts such as sample entries and codec ids by others of the same length. */
export const renamed = (bytes: Buffer, names: Record<string, string>): Buffer =>
  patched(bytes, (copy) => {
    for (const [from, to] of Object.entries(names)) {
      const places = placesOf(copy, from);
      if (places.length === 0 || from.length !== to.length)
        throw new Error(`${from} was not found, or has another length`);
      for (const at of places) copy.write(to, at, 'latin1');
    }
  });

export function placesOf(bytes: Buffer, text: string): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(text, 0, 'latin1'); at !== -1; at = bytes.indexOf(text, at + 1, 'latin1')) {
    places.push(at);
  }
  return places;
}

/** Replaces bytes [start, end) by pseudorandom noise, the same in each run. */
export function fillWithNoise(bytes: Buffer, start: number, end: number): void {
  let state = 1;
  for (let at = start; at < end; at++) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    bytes[at] = state >> 16;
  }
}

/** An MP4 whose media is noise. */
export const withNoise = (movie: Buffer): Buffer =>
  patched(movie, (copy) => {
    const start = copy.indexOf('mdat', 0, 'latin1');
    fillWithNoise(copy, start + 4, start - 4 + copy.readUInt32BE(start - 4));
  });

/** Writes a 32-bit number into the first box of a type, `offset` bytes into its payload. */
export const withNumber = (movie: Buffer, box: string, offset: number, value: number): Buffer =>
  patched(movie, (copy) => void copy.writeUInt32BE(value, copy.indexOf(box, 0, 'latin1') + 4 + offset));

const packetBytes = 188;
const pidOf = (packet: Buffer): number => packet.readUInt16BE(1) & 0x1fff;
const payloadStart = (packet: Buffer): number => 4 + (packet[3]! & 0x20 ? 1 + packet[4]! : 0);

/**
 * Changes every packet of a transport stream with one of `pids`. In FFmpeg's muxer, video has 256, audio 257, and the
 * program map table 4096.
 */
export const withPackets = (stream: Buffer, pids: number[], change: (packet: Buffer) => void): Buffer =>
  patched(stream, (copy) => {
    for (let at = 0; at + packetBytes <= copy.length; at += packetBytes) {
      const packet = copy.subarray(at, at + packetBytes);
      if (pids.includes(pidOf(packet))) change(packet);
    }
  });

type Fill = (bytes: Buffer, start: number, end: number) => void;

/** Replaces the payload of each PES packet, by noise by default. */
export const withPayloads = (stream: Buffer, pids: number[], fill: Fill = fillWithNoise): Buffer =>
  withPackets(stream, pids, (packet) => {
    const pesHeaderBytes = packet[1]! & 0x40 ? 20 : 0;
    fill(packet, payloadStart(packet) + pesHeaderBytes, packetBytes);
  });

/** Changes the stream types of a program. */
export const withStreamTypes = (stream: Buffer, types: Record<number, number>): Buffer =>
  withPackets(stream, [4096], (packet) => {
    const table = packet.subarray(payloadStart(packet) + 1);
    const end = 3 + (table.readUInt16BE(1) & 0xfff) - 4;
    for (let at = 12 + (table.readUInt16BE(10) & 0xfff); at < end; at += 5 + (table.readUInt16BE(at + 3) & 0xfff)) {
      table[at] = types[table[at]!] ?? table[at]!;
    }
    table.writeInt32BE(crc32(table.subarray(0, end)), end);
  });

/** CRC-32/MPEG-2 of table sections. */
function crc32(bytes: Buffer): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000_0000 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1;
  }
  return crc | 0;
}

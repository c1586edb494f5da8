import type { Random } from '../../faults/random.ts';
import { clipOf } from '../clips.ts';
import { flip } from '../numbers.ts';
import type { OddKind } from '../odd-kind.ts';

const packetBytes = 188;

type Change = (packet: Buffer, random: Random, index: number) => Buffer | undefined;

/** Changes or drops each packet of the stream. */
const perPacket = (name: string, change: (random: Random) => Change): OddKind => ({
  name: `ts: ${name}`,
  make(clips, random) {
    const stream = clipOf(clips, 'clip.ts');
    const decide = change(random);
    const packets: Buffer[] = [];
    for (let at = 0; at + packetBytes <= stream.length; at += packetBytes) {
      const packet = decide(stream.subarray(at, at + packetBytes), random, at / packetBytes);
      if (packet) packets.push(packet);
    }
    return { bytes: Buffer.concat(packets), how: name };
  },
});

const pidOf = (packet: Buffer): number => packet.readUInt16BE(1) & 0x1fff;
const isTable = (packet: Buffer): boolean => pidOf(packet) === 0 || pidOf(packet) === 4096;

export const transportKinds: readonly OddKind[] = [
  perPacket('swapped PIDs', () => (packet) => {
    const swapped: Record<number, number> = { 256: 257, 257: 256 };
    const pid = swapped[pidOf(packet)];
    if (pid !== undefined) packet.writeUInt16BE((packet.readUInt16BE(1) & 0xe000) | pid, 1);
    return packet;
  }),
  perPacket('another PID for the video', () => (packet) => {
    if (pidOf(packet) === 256) packet.writeUInt16BE((packet.readUInt16BE(1) & 0xe000) | 300, 1);
    return packet;
  }),
  perPacket('random clock references', () => (packet, random) => {
    const hasClock = (packet[3]! & 0x20) !== 0 && packet[4]! >= 7 && (packet[5]! & 0x10) !== 0;
    if (hasClock) flip(packet, random, 4, 6, 12);
    return packet;
  }),
  perPacket('random times', () => (packet, random) => {
    const startsUnit = (packet[1]! & 0x40) !== 0 && !isTable(packet);
    const payload = 4 + (packet[3]! & 0x20 ? 1 + packet[4]! : 0);
    if (startsUnit && random.share() < 0.3 && payload + 19 < packetBytes)
      flip(packet, random, 2, payload + 9, payload + 19);
    return packet;
  }),
  perPacket('no tables', () => (packet) => (isTable(packet) ? undefined : packet)),
  perPacket('damaged tables', () => (packet, random) => {
    if (isTable(packet)) flip(packet, random, 2, 5, 60);
    return packet;
  }),
  perPacket('lost packets', (random) => {
    const kept = random.pick([0.5, 0.9, 0.99]);
    return (packet) => (random.share() < kept ? packet : undefined);
  }),
  perPacket('no beginning', (random) => {
    const first = random.between(3, 60);
    return (packet, _, index) => (index < first ? undefined : packet);
  }),
  perPacket('scrambled', () => (packet, random) => {
    if (isTable(packet)) return packet;
    packet[3]! |= 0x80;
    flip(packet, random, 150, 12);
    return packet;
  }),
  perPacket('no sync bytes', () => (packet, random) => {
    if (random.share() < 0.2) packet[0] = 0;
    return packet;
  }),
];

import { type FrameSize, readFrameSize } from '../h264/sequence-parameters.ts';

/**
 * The elementary streams of one MPEG-TS segment. Ticks are of 90 kHz, frames in presentation order; `size` is null
 * without a sequence parameter set.
 */
export type TransportStream = {
  video: {
    ticks: number[];
    startsWithKeyFrame: boolean;
    codecs: string;
    size: FrameSize | null;
  } | null;
  audio: { startTicks: number; endTicks: number; frames: number } | null;
  problems: string[];
};

type Pid = { type: number; counter: number | undefined; units: { ticks: number | undefined; parts: Buffer[] }[] };

const packetBytes = 188;
const h264Type = 0x1b;
const aacType = 0x0f;
const aacRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000];

/**
 * Reads a segment with at most one H.264 and one AAC stream (ISO/IEC 13818-1). Throws RangeError when it is not
 * MPEG-TS.
 */
export function readTransportStream(bytes: Buffer): TransportStream {
  if (bytes.length === 0 || bytes.length % packetBytes !== 0)
    throw new RangeError(`${bytes.length} bytes are not whole packets`);
  const pids = new Map<number, Pid>();
  const problems: string[] = [];
  let programPid: number | undefined;
  for (let at = 0; at < bytes.length; at += packetBytes) {
    const packet = bytes.subarray(at, at + packetBytes);
    if (packet[0] !== 0x47) throw new RangeError(`no packet at byte ${at}`);
    const pid = packet.readUInt16BE(1) & 0x1fff;
    const startsUnit = (packet[1]! & 0x40) !== 0;
    const payload = payloadOf(packet);
    if (!payload) continue;
    if (pid === 0) programPid = section(payload).readUInt16BE(10) & 0x1fff;
    else if (pid === programPid) addStreams(section(payload), pids);
    else if (pids.has(pid)) addPacket(pids.get(pid)!, packet[3]! & 0x0f, payload, startsUnit, problems);
  }
  if (pids.size === 0) throw new RangeError('no program map table at the start');
  const streams = [...pids.values()].filter(({ units }) => units.length > 0);
  const found = {
    video: readVideo(streams.find(({ type }) => type === h264Type)),
    audio: readAudio(streams.find(({ type }) => type === aacType)),
  };
  if (!found.video && !found.audio) throw new RangeError('neither video nor audio');
  return { ...found, problems };
}

function payloadOf(packet: Buffer): Buffer | undefined {
  const control = (packet[3]! >> 4) & 3;
  if (!(control & 1)) return undefined;
  return packet.subarray(control & 2 ? 5 + packet[4]! : 4);
}

/** A table section, after the pointer field. */
const section = (payload: Buffer): Buffer => payload.subarray(1 + payload[0]!);

function addStreams(table: Buffer, pids: Map<number, Pid>): void {
  const end = 3 + (table.readUInt16BE(1) & 0x0fff) - 4;
  for (let at = 12 + (table.readUInt16BE(10) & 0x0fff); at < end; at += 5 + (table.readUInt16BE(at + 3) & 0x0fff)) {
    const pid = table.readUInt16BE(at + 1) & 0x1fff;
    if (!pids.has(pid)) pids.set(pid, { type: table[at]!, counter: undefined, units: [] });
  }
}

function addPacket(pid: Pid, counter: number, payload: Buffer, startsUnit: boolean, problems: string[]): void {
  if (pid.counter !== undefined && counter !== (pid.counter + 1) % 16) {
    problems.push(`a packet of stream type ${pid.type} is missing`);
  }
  pid.counter = counter;
  if (!startsUnit) return void pid.units.at(-1)?.parts.push(payload);
  const hasTime = (payload[7]! & 0x80) !== 0;
  pid.units.push({ ticks: hasTime ? timestamp(payload, 9) : undefined, parts: [payload.subarray(9 + payload[8]!)] });
}

/** 33 bits with marker bits between them. */
const timestamp = (bytes: Buffer, at: number): number =>
  ((bytes[at]! >> 1) & 7) * 2 ** 30 + (bytes.readUInt16BE(at + 1) >> 1) * 2 ** 15 + (bytes.readUInt16BE(at + 3) >> 1);

function readVideo(pid: Pid | undefined): TransportStream['video'] {
  if (!pid) return null;
  const types = nalUnits(Buffer.concat(pid.units[0]!.parts));
  const parameters = types.find(({ type }) => type === 7)?.bytes;
  return {
    ticks: pid.units.flatMap(({ ticks }) => ticks ?? []).sort((a, b) => a - b),
    startsWithKeyFrame: types.some(({ type }) => type === 5),
    codecs: `avc1.${parameters?.toString('hex', 1, 4) ?? ''}`,
    size: parameters ? readFrameSize(parameters) : null,
  };
}

/** NAL units, each up to the end of the bytes; callers read only their beginning. */
function nalUnits(bytes: Buffer): { type: number; bytes: Buffer }[] {
  const found: { type: number; bytes: Buffer }[] = [];
  const code = Buffer.from([0, 0, 1]);
  for (let at = bytes.indexOf(code); at !== -1; at = bytes.indexOf(code, at + 3)) {
    const unit = bytes.subarray(at + 3);
    if (unit.length > 0) found.push({ type: unit[0]! & 0x1f, bytes: unit });
  }
  return found;
}

/** ADTS frames, each of 1024 samples (ISO/IEC 14496-3, 1.A.2). */
function readAudio(pid: Pid | undefined): TransportStream['audio'] {
  if (!pid) return null;
  const data = Buffer.concat(pid.units.flatMap(({ parts }) => parts));
  let frames = 0;
  let rate = 48_000;
  for (let at = 0; at + 7 <= data.length; ) {
    if (data.readUInt16BE(at) >> 4 !== 0xfff) throw new RangeError('the audio is not ADTS');
    rate = aacRates[(data[at + 2]! >> 2) & 0x0f] ?? rate;
    frames++;
    at += ((data[at + 3]! & 3) << 11) | (data[at + 4]! << 3) | (data[at + 5]! >> 5);
  }
  const startTicks = pid.units[0]!.ticks ?? 0;
  return { startTicks, endTicks: startTicks + (frames * 1024 * 90_000) / rate, frames };
}

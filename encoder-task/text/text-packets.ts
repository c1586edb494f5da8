/** A packet of a text track, in seconds of the source. */
export type TextPacket = {
  streamIndex: number;
  startSeconds: number;
  /** null when the container has none */
  durationSeconds: number | null;
  bytes: Buffer;
  /** cue settings of WebVTT, such as `line:0`; empty when the packet has none */
  settings: string;
};

/** No subtitle is longer. The bytes of a longer packet are not kept. */
export const maxPacketBytes = 64 * 1024;

/** The name of FFmpeg for cue settings, which Matroska has beside the text of a cue. */
const settingsType = 'WebVTT Settings';
/** 160 bytes. All settings together are shorter. */
const maxSettingsLines = 10;

/** `00000010: 776f 726c 643c …  world<…`: an offset, then at most 16 bytes in groups of two. */
const dumpLine = /^[0-9a-f]{8,}: ((?:[0-9a-f]{2,4} ?){1,8}) /;

/**
 * Reads the output of `textPacketsArgs`, line by line, and calls `onPacket` for each packet with a time. `bytes` is
 * empty for a packet that is too long.
 */
export function createTextPacketReader(onPacket: (packet: TextPacket) => void): (line: string) => void {
  let fields: Record<string, string> = {};
  let dump: string[] = [];
  let settings: string[] = [];
  let isSideData = false;
  const addDump = (bytes: string): void => {
    if (!isSideData && Number(fields.size) <= maxPacketBytes) dump.push(bytes);
    if (isSideData && fields.side_data_type === settingsType && settings.length < maxSettingsLines)
      settings.push(bytes);
  };
  return (line) => {
    if (line === '[PACKET]') [fields, dump, settings, isSideData] = [{}, [], [], false];
    else if (line === '[SIDE_DATA]') isSideData = true;
    else if (line === '[/SIDE_DATA]') isSideData = false;
    else if (line === '[/PACKET]') {
      const packet = packetOf(fields, dump, settings);
      if (packet) onPacket(packet);
      dump = [];
    } else {
      const bytes = dumpLine.exec(line)?.[1];
      if (bytes === undefined) {
        const [key = '', value = ''] = line.split('=', 2);
        if (key !== '') fields[key] = value;
      } else addDump(bytes.replaceAll(' ', ''));
    }
  };
}

function packetOf(
  fields: Record<string, string>,
  dump: readonly string[],
  settings: readonly string[],
): TextPacket | undefined {
  const [streamIndex, startSeconds, durationSeconds] = [fields.stream_index, fields.pts_time, fields.duration_time].map(
    Number,
  );
  if (!Number.isInteger(streamIndex) || !Number.isFinite(startSeconds)) return undefined;
  return {
    streamIndex: streamIndex!,
    startSeconds: startSeconds!,
    durationSeconds: durationSeconds! > 0 ? durationSeconds! : null,
    bytes: Buffer.from(dump.join(''), 'hex'),
    settings: settingsOf(Buffer.from(settings.join(''), 'hex').toString('latin1')),
  };
}

/** The settings become part of a line of WebVTT: text that has other characters than theirs is left out. */
const settingsOf = (text: string): string => (/^[\w.:%, \t-]*$/.test(text) && !text.includes('-->') ? text.trim() : '');

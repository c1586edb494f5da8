import { createHash, createHmac } from 'node:crypto';
import { type Access, listSession } from '../common/access-log.ts';
import { clientNetwork } from '../http/client-network.ts';
import type { Told } from '../table/views/viewer-sessions.ts';
import { type Cmcd, readCmcd } from './cmcd.ts';
import { type DeliveredFile, deliveredFile, type TrackName } from './delivered-file.ts';
import { sumOfTold } from './sum-told.ts';

/** What a log has of one viewer: segments by track with the first day of each, bytes of files by day. */
export type LoggedPlayback = {
  date: string;
  hasMedia: boolean;
  segments: Map<string, { track: TrackName; dates: Map<number, string> }>;
  files: Map<string, { key: string; bytes: Map<string, number> }>;
  told: Told | undefined;
  /** bitrates of sound alone, which count where a video has no picture */
  soundBitrate: Pick<Told, 'kilobits' | 'kilobitMilliseconds'>;
};

/** `publicDate`: the day whose secret is in the ID, of a session of a public video. */
export type LoggedSession = { publicDate: string | undefined; playbacks: Map<string, LoggedPlayback> };

export type LoggedVideo = { bytes: Map<string, number>; sessions: Map<string, LoggedSession> };

/** More of one session in one log are not told apart. */
const maxPlaybacksInLog = 64;

type Listener = {
  videos: Map<string, LoggedVideo>;
  /** @param access a line that is delivered to a viewer, and its UTC day */
  hear: (access: Access, date: string) => Promise<void>;
};

/**
 * Collects what a log has of each video, session and viewer. Addresses and user agents are used for IDs of viewers of
 * public videos only.
 * @param secretOf the secret of a UTC day, without which nobody can tell whose ID it is
 */
export function createLogListener(secretOf: (date: string) => Promise<string>): Listener {
  const videos = new Map<string, LoggedVideo>();
  const hear = async (access: Access, date: string): Promise<void> => {
    const file = deliveredFile(access.path);
    if (!file) return;
    const video = obtain(videos, file.videoUlid, () => ({ bytes: new Map(), sessions: new Map() }));
    video.bytes.set(date, (video.bytes.get(date) ?? 0) + access.bytes);
    if (access.session === listSession) return;
    const cmcd = access.cmcd === undefined ? undefined : readCmcd(access.cmcd);
    const ids = access.session === '' ? await publicIds(access, cmcd, date, secretOf) : signedIds(access, cmcd);
    const session = obtain(video.sessions, ids.session, () => ({
      publicDate: access.session === '' ? date : undefined,
      playbacks: new Map(),
    }));
    const isKnown = session.playbacks.has(ids.viewer) || session.playbacks.size < maxPlaybacksInLog;
    addLine(
      obtain(session.playbacks, isKnown ? ids.viewer : '', () => emptyPlayback(date)),
      { access, date, file, cmcd },
    );
  };
  return { videos, hear };
}

function obtain<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

type Ids = { session: string; viewer: string };

/** Players of one URL are told apart by the IDs that they send. */
const signedIds = ({ session }: Access, cmcd: Cmcd | undefined): Ids => ({
  session,
  viewer:
    cmcd?.sessionId === undefined
      ? ''
      : createHash('sha256').update(`${session}\n${cmcd.sessionId}`).digest('base64url').slice(0, idCharacters),
});

const idCharacters = 12;

/**
 * A public video has no session in its URL. Its viewers are told apart by network, within it by the ID that the player
 * sends or by the user agent, and anew for each video and day.
 */
async function publicIds(
  { path, remoteAddress, userAgent }: Access,
  cmcd: Cmcd | undefined,
  date: string,
  secretOf: (date: string) => Promise<string>,
): Promise<Ids> {
  const secret = await secretOf(date);
  const [, , videoUlid] = path.split('/');
  const digest = (...parts: (string | undefined)[]): string =>
    createHmac('sha256', secret).update(parts.join('\n')).digest('base64url');
  const session = `public#${digest('network', videoUlid, clientNetwork(remoteAddress)).slice(0, 24)}`;
  const viewer = cmcd?.sessionId === undefined ? ['agent', userAgent] : ['player', cmcd.sessionId];
  return { session, viewer: digest(session, ...viewer).slice(0, idCharacters) };
}

const emptyPlayback = (date: string): LoggedPlayback => ({
  date,
  hasMedia: false,
  segments: new Map(),
  files: new Map(),
  told: undefined,
  soundBitrate: { kilobits: 0, kilobitMilliseconds: 0 },
});

type Line = { access: Access; date: string; file: DeliveredFile; cmcd: Cmcd | undefined };

function addLine(playback: LoggedPlayback, { access, date, file, cmcd }: Line): void {
  if (date < playback.date) playback.date = date;
  const isLoaded = access.method === 'GET' && (access.status === 200 || access.status === 206) && access.bytes > 0;
  if (isLoaded && file.kind !== 'other') {
    playback.hasMedia = true;
    const name = nameOf(file.track);
    if (file.kind === 'file') {
      const { bytes } = obtain(playback.files, name, () => ({ key: file.key, bytes: new Map<string, number>() }));
      bytes.set(date, (bytes.get(date) ?? 0) + access.bytes);
    } else if (access.status === 200) {
      // A part of a segment is its key frame, which players load to show pictures while a viewer searches.
      const { dates } = obtain(playback.segments, name, () => ({
        track: file.track,
        dates: new Map<number, string>(),
      }));
      const known = dates.get(file.number);
      if (known === undefined || date < known) dates.set(file.number, date);
    }
  }
  if (!cmcd) return;
  const told = toldOf(cmcd, access);
  playback.told = playback.told ? sumOfTold(playback.told, told) : told;
  if (cmcd.objectType !== 'a') return;
  const { kilobits, kilobitMilliseconds } = bitrateOf(cmcd);
  playback.soundBitrate.kilobits += kilobits;
  playback.soundBitrate.kilobitMilliseconds += kilobitMilliseconds;
}

export const nameOf = ({ planNumber, kind, group, index }: TrackName): string =>
  `${planNumber}-${kind}-${group}-${index}`;

const hasPicture = ({ objectType }: Cmcd): boolean => objectType === 'v' || objectType === 'av';

function toldOf(cmcd: Cmcd, { time, durationSeconds }: Access): Told {
  const { startupMilliseconds, totalStalledMilliseconds, hasFailed } = cmcd;
  const lateMilliseconds = hasPicture(cmcd) || cmcd.objectType === 'a' ? lateOf(cmcd, durationSeconds) : 0;
  const atMs = Math.round(Date.parse(time) - durationSeconds * 1000);
  return {
    ...(hasPicture(cmcd) && askedOf(cmcd, { atMs, lateMilliseconds })),
    ...(startupMilliseconds !== undefined && { startupMilliseconds }),
    ...(totalStalledMilliseconds !== undefined && { totalStalledMilliseconds }),
    ...(hasFailed && { hasFailed }),
    stalledMilliseconds: cmcd.stalledMilliseconds ?? 0,
    starvations: cmcd.isStarved ? 1 : 0,
    lateMilliseconds,
    errors: cmcd.errors ?? 0,
    ...(hasPicture(cmcd) ? bitrateOf(cmcd) : { kilobits: 0, kilobitMilliseconds: 0 }),
  };
}

const maxLateMilliseconds = 600_000;

/** How much longer a response took than what was buffered, in the middle of the playback. */
function lateOf({ bufferMilliseconds, playbackRate = 1, isUrgent }: Cmcd, responseSeconds: number): number {
  if (bufferMilliseconds === undefined || isUrgent || playbackRate <= 0) return 0;
  const late = Math.round(responseSeconds * 1000 - bufferMilliseconds / playbackRate);
  return Math.min(maxLateMilliseconds, Math.max(0, late));
}

/** When a request of the picture was made, for the time between it and the next one (`sumOfTold`). */
function askedOf(
  { isStarved, bufferMilliseconds, playbackRate = 1 }: Cmcd,
  { atMs, lateMilliseconds }: { atMs: number; lateMilliseconds: number },
): Pick<Told, 'asked' | 'starvedAtMs'> {
  const knowsBuffer = bufferMilliseconds !== undefined && playbackRate > 0;
  return {
    ...(knowsBuffer && {
      asked: { atMs, emptyAtMs: Math.round(atMs + bufferMilliseconds / playbackRate), lateMilliseconds },
    }),
    ...(isStarved && { starvedAtMs: atMs }),
  };
}

/** A bitrate counts for as long as its object lasts. */
const bitrateOf = ({ bitrateKbps, durationMilliseconds }: Cmcd): Pick<Told, 'kilobits' | 'kilobitMilliseconds'> =>
  bitrateKbps === undefined || durationMilliseconds === undefined
    ? { kilobits: 0, kilobitMilliseconds: 0 }
    : { kilobits: bitrateKbps * durationMilliseconds, kilobitMilliseconds: durationMilliseconds };

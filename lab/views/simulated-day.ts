import { createHash } from 'node:crypto';
import {
  type DistributionName,
  distributionBuckets,
  distributionNames,
} from '../../functions/common/view-distributions.ts';
import { fileBytes, filesOf, segmentSeconds } from '../../test/fixtures/records/watched-video.ts';
import { createRandom } from '../simulate/events.ts';

export type VideoKind = 'cmaf' | 'sound' | 'transport-stream' | 'mp4';
export type SimulatedVideo = { ulid: string; kind: VideoKind; seconds: number; isPublic: boolean; owner: string };

/** A request of a viewer, which one of the loggers has in its log. */
export type SimulatedRequest = {
  atMs: number;
  logger: number;
  /** of the logs of a time; `isAstray`: in the other one */
  half: 0 | 1;
  isAstray: boolean;
  videoUlid: string;
  file: string;
  /** empty for a public video */
  session: string;
  status: number;
  bytes: number;
  responseSeconds: number;
  address: string;
  userAgent: string;
  cmcd: string | undefined;
};

export type Sums = {
  bytes: number;
  views: number;
  watchedMilliseconds: number;
  reached: number[];
  distributions: Record<DistributionName, number[]>;
};

/** What must be counted. */
export type Truth = { sessions: number; requests: number; videos: Map<string, Sums> };

export const loggerCount = 7;

/** Plays a day of sessions, passes each request on, and says what they are. */
export function simulateDay(
  { videos, sessions, seed, startMs }: { videos: SimulatedVideo[]; sessions: number; seed: number; startMs: number },
  emit: (request: SimulatedRequest) => void,
): Truth {
  const random = createRandom(seed);
  const below = (bound: number): number => Math.floor(random() * bound);
  const truth: Truth = { sessions: 0, requests: 0, videos: new Map(videos.map(({ ulid }) => [ulid, noSums()])) };

  for (let number = 0; number < sessions; number++) {
    // A few videos have most of the sessions.
    const video = videos[Math.floor(videos.length * random() ** 3)]!;
    const name = createHash('sha256').update(`${seed} ${number}`).digest('base64url').slice(0, 16);
    const session = video.isPublic ? '' : name;
    if (session !== '') truth.sessions += 1;
    const address = `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
    const chance = random();
    const players = chance < 0.01 && video.kind !== 'mp4' ? 40 : chance < 0.04 ? 3 : 1;
    const loads = playbackOf(video);
    for (let player = 0; player < players; player++) {
      // Of the invented players, eight are told apart, and all load the same.
      play(video, players === 40 || player === 0 ? loads : playbackOf(video), {
        session,
        address,
        userAgent: `Player/${player}`,
        sessionId: players > 1 ? `${name}-${player}` : random() < 0.7 ? name : undefined,
        tells: players !== 40,
        isCounted: player <= 8,
      });
    }
  }
  return truth;

  /** The numbers of the segments that are loaded; for a file how many hundredths. */
  function playbackOf({ kind, seconds }: SimulatedVideo): number[] {
    const count = Math.ceil(seconds / segmentSeconds);
    const loads: number[] = [];
    let next = random() < 0.7 ? 0 : below(count);
    const length = kind === 'mp4' ? 1 + below(4) : 1 + Math.floor(-Math.log(1 - random()) * 7);
    while (loads.length < Math.min(length, 60)) {
      loads.push(kind === 'mp4' ? 1 + below(40) : next);
      next = random() < 0.1 ? below(count) : next + 1;
      if (next >= count) break;
    }
    return loads;
  }

  type Player = {
    session: string;
    address: string;
    userAgent: string;
    sessionId: string | undefined;
    tells: boolean;
    isCounted: boolean;
  };

  function play(video: SimulatedVideo, loads: number[], player: Player): void {
    const sums = truth.videos.get(video.ulid)!;
    const { session, address, userAgent, sessionId } = player;
    let atMs = startMs + below(86_400_000 - 600_000);
    let logger = below(loggerCount);
    const half: 0 | 1 = random() < 0.5 ? 0 : 1;
    const send = (file: string, bytes: number, changes: Partial<SimulatedRequest> = {}): void => {
      atMs += 1000 + below(3000);
      if (random() < 0.03) logger = below(loggerCount);
      const said = changes.cmcd ?? (sessionId === undefined ? undefined : `sid="${sessionId}"`);
      const cmcd = said === undefined ? undefined : encodeURIComponent(said);
      const isAstray = random() < 0.1;
      const request = {
        atMs,
        logger,
        half,
        isAstray,
        videoUlid: video.ulid,
        file,
        session,
        status: 200,
        bytes,
        address,
        userAgent,
      };
      emit({ ...request, responseSeconds: 0.05, ...changes, cmcd });
      sums.bytes += bytes;
      truth.requests += 1;
    };
    // Some look at the page only.
    send(filesOf.playlist, 900 + below(200));
    if (random() < 0.05 && player.tells) return;

    const version = sessionId === undefined || !player.tells ? undefined : random() < 0.7 ? 2 : 1;
    const kbps = 100 + below(9000);
    const startupMs = below(12_000);
    const stalls = random() < 0.3 ? [below(4000), below(4000)].slice(0, loads.length) : [];
    const errors = version === 2 && random() < 0.05 ? 1 + below(3) : 0;
    const lateMs = version === 1 && loads.length > 2 && stalls.length > 0 ? 3000 : 0;
    const type = video.kind === 'sound' ? 'a' : video.kind === 'transport-stream' ? 'av' : 'v';
    const isTold = version !== undefined && video.kind !== 'mp4';
    const say = (index: number): string | undefined => {
      if (!isTold) return undefined;
      const id = `ot=${type},sid="${sessionId}"`;
      if (version === 1) {
        const late = lateMs > 0 && index === 1 ? 'bl=1000,' : lateMs > 0 && index === 2 ? 'bs,su,' : '';
        return `br=${kbps},${late}d=6000,${id}`;
      }
      const stall = stalls[index] === undefined ? '' : `bsd=(${stalls[index]}),`;
      const failed = index === 0 && errors > 0 ? `ec=(${Array.from({ length: errors }, () => '"E"').join(' ')}),` : '';
      return `br=(${kbps}),${stall}d=6000,${failed}${index === 0 ? `msd=${startupMs},` : ''}${id},v=2`;
    };
    // Some logs have whole seconds.
    const lateAtMs = startMs + 1000 * Math.ceil((atMs - startMs) / 1000);
    loads.forEach((load, index) => {
      const cmcd = say(index);
      const told: Partial<SimulatedRequest> = {
        ...(cmcd !== undefined && { cmcd }),
        ...(lateMs > 0 && index === 1 && { responseSeconds: (1000 + lateMs) / 1000, atMs: lateAtMs }),
        ...(lateMs > 0 && index === 2 && { atMs: lateAtMs + 50 }),
      };
      if (video.kind === 'mp4') send(filesOf.mp4, (load * fileBytes) / 100, { status: 206 });
      else if (video.kind === 'sound') send(filesOf.sound(load), 50_000, told);
      else if (video.kind === 'transport-stream') send(filesOf.transportStream(load), 500_000, told);
      else {
        send(filesOf.picture(load, random() < 0.8 ? '720p' : '360p', load >> 3), 400_000, told);
        if (random() < 0.3) send(filesOf.sound(load), 50_000);
      }
    });
    if (!player.isCounted) return;

    const { seconds } = video;
    const part =
      video.kind === 'mp4'
        ? Math.min(
            100,
            loads.reduce((sum, load) => sum + load, 0),
          ) / 100
        : undefined;
    const loaded = new Set(loads);
    const hasLoaded = (at: number): boolean =>
      part === undefined ? loaded.has(Math.floor(at / segmentSeconds)) : at < part * seconds;
    const watchedMs =
      part === undefined
        ? [...loaded].reduce((sum, load) => sum + 1000 * Math.min(segmentSeconds, seconds - load * segmentSeconds), 0)
        : Math.round(1000 * part * seconds);
    sums.views += 1;
    sums.watchedMilliseconds += watchedMs;
    for (let position = 0; position < 100; position++) {
      if (hasLoaded(((position + 0.5) * seconds) / 100)) sums.reached[position]! += 1;
    }
    if (sessionId === undefined) return;
    const stalledMs = version === 2 && isTold ? stalls.reduce((sum, one) => sum + one, 0) : isTold ? lateMs : 0;
    put(sums, 'rebuffering_share', stalledMs / (stalledMs + watchedMs));
    put(sums, 'errors', isTold ? errors : 0);
    if (isTold) put(sums, 'bitrate_kbps', kbps);
    if (isTold && version === 2) put(sums, 'startup_ms', startupMs);
  }
}

const noSums = (): Sums => ({
  bytes: 0,
  views: 0,
  watchedMilliseconds: 0,
  reached: Array<number>(100).fill(0),
  distributions: Object.fromEntries(
    distributionNames.map((name) => [name, distributionBuckets[name].map(() => 0)]),
  ) as unknown as Sums['distributions'],
});

function put({ distributions }: Sums, name: DistributionName, value: number): void {
  const bucket = distributionBuckets[name].filter((from) => from <= value).length - 1;
  distributions[name][bucket]! += 1;
}

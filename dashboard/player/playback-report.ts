import shaka from 'shaka-player';
import { type CmcdKey, reportUrl, withMore } from './cmcd-query.ts';
import { createStarvationClock } from './starvation-clock.ts';

/** What the service counts. The player would also send its bandwidth and the names of other files. */
const keys: CmcdKey[] = ['bl', 'br', 'cid', 'd', 'msd', 'ot', 'pr', 'sf', 'sid', 'sn', 'st', 'sta', 'su', 'v'];
const version = 2;

/**
 * Says in the query of the requests how playback is going (CMCD, CTA-5004): `docs/delivery.md` has what is sent.
 * The session is a random number for this playback, which is kept nowhere. Headers instead of the query would need a
 * preflight request for each file.
 */
export function reportPlayback(player: shaka.Player, video: HTMLVideoElement) {
  const sessionId = randomId();
  const starvation = createStarvationClock();
  let url: string | undefined;
  let hasSentStart = false;

  player.addEventListener('buffering', (event) => {
    if ((event as Event & { buffering?: boolean }).buffering) starvation.wait(video.seeking);
    else starvation.go();
  });
  video.addEventListener('playing', () => starvation.begin());
  // A viewer who jumps or pauses does not wait for what was to come next.
  for (const name of ['seeking', 'pause']) video.addEventListener(name, () => starvation.interrupt());

  player.getNetworkingEngine()?.registerRequestFilter((type, request) => {
    const isSegment = type === shaka.net.NetworkingEngine.RequestType.SEGMENT;
    const waitedMs = isSegment ? starvation.take() : undefined;
    // Shaka Player sends the delay of each source that it loads. A playback starts once.
    const dropped: CmcdKey[] = hasSentStart ? ['msd'] : [];
    request.uris = request.uris.map((uri) => withMore(uri, waitedMs, dropped));
    hasSentStart ||= request.uris.some((uri) => uri.includes('msd%3D'));
  });

  /** A request without a body, for what no request for a file will say any more. */
  const send = (sourceUrl: string, more: { waitedMs: number[]; code?: number }): void => {
    const target = reportUrl(sourceUrl, { sessionId, contentId: videoUlidOf(sourceUrl), ...more });
    void fetch(target, { method: 'HEAD', keepalive: true }).catch(() => undefined);
  };
  /** After an interruption there may be nothing left to load, and a viewer may leave while playback waits. */
  const sendWaiting = (): void => {
    if (url === undefined) return;
    const waitedMs = starvation.takeAll();
    if (waitedMs.length > 0) send(url, { waitedMs });
  };
  const leave = (): void => {
    starvation.interrupt();
    sendWaiting();
  };
  const hide = (): void => {
    // The last event that mobile browsers are sure to send.
    if (document.visibilityState === 'hidden') sendWaiting();
  };
  video.addEventListener('ended', sendWaiting);
  addEventListener('pagehide', leave);
  document.addEventListener('visibilitychange', hide);

  return {
    /** Before a source is loaded. */
    loads(sourceUrl: string): void {
      url = sourceUrl;
      starvation.reset();
      player.configure({
        cmcd: {
          enabled: true,
          useHeaders: false,
          version,
          sessionId,
          contentId: videoUlidOf(sourceUrl),
          includeKeys: keys,
        },
      });
    },
    /** Playback ended with an error, after which the player sends nothing. */
    fails(code: number): void {
      if (url === undefined) return;
      // The player may report the error of a source twice.
      const failed = url;
      url = undefined;
      starvation.interrupt();
      send(failed, { waitedMs: starvation.takeAll(), code });
    },
    /** The page has no player any more. */
    end(): void {
      removeEventListener('pagehide', leave);
      document.removeEventListener('visibilitychange', hide);
      leave();
    },
  };
}

/** The ULID in the URL of a file: signed, or of a public video. */
const videoUlidOf = (url: string): string => /\/(?:videos|p)\/([0-9A-HJKMNP-TV-Z]{26})\//.exec(url)?.[1] ?? '';

/** Not `crypto.randomUUID`, which pages without TLS do not have. */
const randomId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

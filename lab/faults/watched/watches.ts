import type { Client } from '../../../test/journey/support/client.ts';
import type { StartedVideo } from '../injected/fault.ts';
import type { RestartableService } from '../service/restartable-service.ts';
import { type EventWatch, openEventWatch } from './event-watch.ts';
import { type PlaybackWatch, watchPlayback } from './playback-watch.ts';

/** What users see of the service while faults happen: webhooks, and playback of videos that are encoded. */
export type Watches = {
  events: EventWatch;
  /** Begins to watch a video if it can play while it is encoded. */
  watchVideo(video: StartedVideo, client: Client): void;
  playbackOf(video: StartedVideo): PlaybackWatch;
  /** After everything has settled. `advanceTo` sets the clock of the service ahead. */
  check(advanceTo: (aheadSeconds: number) => Promise<void>): Promise<{ violations: string[]; summary: string[] }>;
  close(): Promise<void>;
};

export async function openWatches(service: RestartableService): Promise<Watches> {
  const events = await openEventWatch();
  const playbacks = new Map<string, PlaybackWatch>();
  return {
    events,
    watchVideo({ ulid, template }, client) {
      if (template === 'early') playbacks.set(ulid, watchPlayback(client, ulid));
    },
    playbackOf: ({ ulid }) => playbacks.get(ulid)!,
    async check(advanceTo) {
      const reports = await Promise.all([...playbacks.values()].map((playback) => playback.stop()));
      const played = reports.filter((report) => report.played);
      const objects = played.reduce((sum, { lookedAt }) => sum + lookedAt, 0);
      const delivered = await events.check(service, advanceTo);
      return {
        violations: [...reports.flatMap(({ violations }) => violations), ...delivered.violations],
        summary: [
          `${played.length} of ${reports.length} watched videos played while they were encoded, with ${objects} files`,
          delivered.summary,
        ],
      };
    },
    close: () => events.close(),
  };
}

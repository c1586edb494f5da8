import { prices } from '../../shared/pricing/prices.ts';
import type { IdleItem } from './idle-cost.ts';

/**
 * What it takes to count views from access logs, beside reading the logs. Units are measured by
 * `npm run views -- --sessions 8000 --videos 200`, with 5 % of the logs counted twice.
 */
export const viewAssumptions = {
  /** a session that is in a log: one item, which is read and written */
  unitsPerSession: { reads: 1.2, writes: 1.33 },
  /** a video that is in a log: its record, its mark and its sums by day and by owner */
  unitsPerVideo: { reads: 2.44, writes: 8.49 },
  /** that a viewer of some minutes is in, as in the simulation */
  logsPerView: 2,
  /** of a log, as in the simulation; fewer where many videos are watched by few */
  sessionsPerVideo: 2.5,
} as const;

/** The costs in dollars of counting some views. */
export function viewItems(views: number): IdleItem[] {
  const { unitsPerSession, unitsPerVideo, logsPerView, sessionsPerVideo } = viewAssumptions;
  const sessions = views * logsPerView;
  const videos = sessions / sessionsPerVideo;
  const { perWriteUnit, perReadUnit } = prices.dynamoDb;
  const writes = { session: sessions * unitsPerSession.writes, video: videos * unitsPerVideo.writes };
  const reads = sessions * unitsPerSession.reads + videos * unitsPerVideo.reads;
  return [
    { name: 'write units of sessions', count: writes.session, dollars: writes.session * perWriteUnit },
    { name: 'write units of videos', count: writes.video, dollars: writes.video * perWriteUnit },
    { name: 'read units', count: reads, dollars: reads * perReadUnit },
  ];
}

import type { components } from '../../client/api-types.ts';
import type { CsvValue } from './csv.ts';

export type Analytics = components['schemas']['Analytics']['data'];

export type AnalyticsDay = {
  date: string;
  bytes: number;
  sessions: number;
  views: number;
  watchedSeconds: number;
  completed: number;
  failed: number;
  cpuSeconds: number;
};

/** The series of several ranges as one list of days. */
export const analyticsDays = (responses: readonly Analytics[]): AnalyticsDay[] =>
  responses.flatMap(({ bandwidth, sessions, views, watched, encoding }) =>
    bandwidth.series.map(({ date, bytes }, index) => ({
      date,
      bytes,
      sessions: sessions.series[index]?.count ?? 0,
      views: views.series[index]?.count ?? 0,
      watchedSeconds: watched.series[index]?.seconds ?? 0,
      completed: encoding.series[index]?.completed ?? 0,
      failed: encoding.series[index]?.failed ?? 0,
      cpuSeconds: encoding.series[index]?.cpu_seconds ?? 0,
    })),
  );

export const analyticsRows = (days: readonly AnalyticsDay[]): CsvValue[][] => [
  ['date', 'bytes', 'sessions', 'videos_completed', 'videos_failed', 'cpu_seconds', 'views', 'watched_seconds'],
  ...days.map(rowOf),
];

const rowOf = ({
  date,
  bytes,
  sessions,
  completed,
  failed,
  cpuSeconds,
  views,
  watchedSeconds,
}: AnalyticsDay): CsvValue[] => [date, bytes, sessions, completed, failed, cpuSeconds, views, watchedSeconds];

import type { viewsEn } from './views-en.ts';

export const viewsDe: typeof viewsEn = {
  title: 'Aufrufe und Wiedergabe',
  hint: 'Aus den Zugriffsprotokollen gezählt, einige Minuten nach der Wiedergabe. Tage sind UTC.',
  views: 'Aufrufe',
  watched: 'Wiedergabezeit',
  delivered: 'Ausgeliefert',
  empty: 'Keine Aufrufe in diesem Zeitraum',
  emptyHint:
    'Teilen Sie einen Link zum Video, oder betten Sie es ein. Aufrufe erscheinen hier einige Minuten, nachdem jemand es abspielt.',
  audience: 'Wo Zuschauer aufgehört haben',
  audienceHint: 'Wie viele Wiedergaben jeden Teil des Videos geladen haben.',
  audienceMost: (most) => `Höchstens: ${most}`,
  audienceChart: (start, middle, end) =>
    `Wiedergaben entlang des Videos: ${start} am Anfang, ${middle} in der Mitte, ${end} am Ende.`,
  position: 'Teil des Videos',
  playbacks: 'Wiedergaben',
  share: 'Anteil',
  quality: 'Qualität der Wiedergabe',
  qualityEmpty:
    'Kein Player hat gemeldet, wie die Wiedergabe war. Der Player dieses Dienstes tut es, andere auf Wunsch.',
  measure: 'Messgröße',
  median: 'Median',
  p95: '95 % liegen darunter',
  measures: {
    startup_ms: 'Zeit bis zum ersten Bild',
    rebuffering_share: 'Anteil der Wartezeit',
    bitrate_kbps: 'Bitrate',
    errors: 'Fehler',
  },
  errors: (withErrors, all) => `Wiedergaben mit einem gemeldeten Fehler: ${withErrors} von ${all}.`,
  distributions: 'Verteilungen',
  range: (from, to) => `${from} bis ${to}`,
  andMore: (from) => `${from} und mehr`,
  topVideos: 'Meistgesehene Videos',
  topVideosHint: (day) => `Gezählt seit ${day}.`,
  topVideosEmpty: 'In diesem Zeitraum hat niemand ein Video angesehen',
  topVideosEmptyHint:
    'Teilen Sie ein Video, oder betten Sie es ein: Aufrufe erscheinen einige Minuten, nachdem jemand es abspielt.',
  order: 'Reihenfolge',
  orders: { views: 'Nach Aufrufen', watched: 'Nach Wiedergabezeit', bytes: 'Nach ausgelieferten Bytes' },
  video: 'Video',
  deletedVideo: (ulid) => `Gelöschtes Video ${ulid}`,
  viewsIn30Days: 'Aufrufe in 30 Tagen',
  watchedIn30Days: (time) => `${time} angesehen`,
};

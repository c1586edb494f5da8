import { codeTextsDe } from '../../texts/code-texts-de.ts';
import { type CodeTexts, codeTextsEn } from '../../texts/code-texts-en.ts';
import type { Environment } from '../arguments/settings.ts';

/** The words of results for people. Help, wrong usage and `--json` are English. */
const en = {
  language: 'en',
  codes: codeTextsEn as CodeTexts,
  accepted: (ulid: string) => `fetched by the service as ${ulid}`,
  uploaded: (ulid: string) => `uploaded as ${ulid}`,
  uploadedEarlier: (ulid: string) => `already uploaded by an earlier command as ${ulid}`,
  playsNow: 'plays now',
  ready: (ulid: string) => `ready (${ulid})`,
  failed: (label: string, why: string) => `${label} failed: ${why}`,
  outputFailed: (label: string, output: string, why: string) => `${label}: the output ${output} failed: ${why}`,
  noUrls: (why: string) => `no playback URLs yet: ${why}`,
  waitsForWorker: 'waits for a worker',
  fetching: (bytes: string) => `fetching, ${bytes}`,
  columns: {
    status: 'STATUS',
    length: 'LENGTH',
    created: 'CREATED (UTC)',
    name: 'NAME',
    size: 'SIZE',
    abilities: 'ABILITIES',
    expires: 'EXPIRES (UTC)',
    lastUsed: 'LAST USED (UTC)',
    day: 'DAY (UTC)',
    metric: 'METRIC',
    value: 'VALUE',
    externalUser: 'EXTERNAL USER',
    views: 'VIEWS',
    watchedSeconds: 'WATCHED (S)',
    bytes: 'BYTES',
  },
  labels: {
    status: 'status',
    length: 'length',
    created: 'created',
    template: 'template',
    error: 'error',
    output: 'output',
    decided: 'decided',
    tags: 'tags',
    expires: 'expires',
  },
  notKnownYet: 'not known yet',
  deleted: 'deleted',
  noVideos: 'There are no such videos.',
  nothingUsed: 'Nothing was used on these days.',
};
export type Words = typeof en;

const de: Words = {
  language: 'de',
  codes: codeTextsDe,
  accepted: (ulid) => `wird vom Dienst geholt als ${ulid}`,
  uploaded: (ulid) => `hochgeladen als ${ulid}`,
  uploadedEarlier: (ulid) => `schon von einem früheren Aufruf hochgeladen als ${ulid}`,
  playsNow: 'spielt jetzt',
  ready: (ulid) => `bereit (${ulid})`,
  failed: (label, why) => `${label} ist fehlgeschlagen: ${why}`,
  outputFailed: (label, output, why) => `${label}: Die Ausgabe ${output} ist fehlgeschlagen: ${why}`,
  noUrls: (why) => `noch keine Adressen zum Abspielen: ${why}`,
  waitsForWorker: 'wartet auf einen Worker',
  fetching: (bytes) => `wird geholt, ${bytes}`,
  columns: {
    status: 'STATUS',
    length: 'LÄNGE',
    created: 'ANGELEGT (UTC)',
    name: 'NAME',
    size: 'GRÖSSE',
    abilities: 'RECHTE',
    expires: 'LÄUFT AB (UTC)',
    lastUsed: 'ZULETZT (UTC)',
    day: 'TAG (UTC)',
    metric: 'GRÖSSE',
    value: 'WERT',
    externalUser: 'EXTERNER BENUTZER',
    views: 'AUFRUFE',
    watchedSeconds: 'GESEHEN (S)',
    bytes: 'BYTES',
  },
  labels: {
    status: 'Status',
    length: 'Länge',
    created: 'angelegt',
    template: 'Vorlage',
    error: 'Fehler',
    output: 'Ausgabe',
    decided: 'entschieden',
    tags: 'Schlagwörter',
    expires: 'läuft ab',
  },
  notKnownYet: 'noch nicht bekannt',
  deleted: 'gelöscht',
  noVideos: 'Solche Videos gibt es nicht.',
  nothingUsed: 'An diesen Tagen wurde nichts verbraucht.',
};

/** In the language of the terminal, by the variables of POSIX. */
export function wordsOf({ LC_ALL, LC_MESSAGES, LANG }: Environment): Words {
  return /^de\b|^de_/i.test(LC_ALL || LC_MESSAGES || LANG || '') ? de : en;
}

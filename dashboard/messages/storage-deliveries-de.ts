import type { storageDeliveriesEn } from './storage-deliveries-en.ts';

export const storageDeliveriesDe: typeof storageDeliveriesEn = {
  storage: 'Speicher',
  unknownStorage: 'Unbekannter Speicher',
  path: 'Pfad',
  pathHint: (byDefault) =>
    `Ordner für das Video. {ulid} wird durch seine ULID ersetzt, {output} durch den Namen einer Ausgabe, die dann alle ihre Dateien für sich hat. Ohne Eintrag: ${byDefault}`,
  target: (address) => `Die Dateien kommen nach ${address}`,
  outputs: 'Ausgaben',
  allOutputs: 'Alle Ausgaben',
  also: 'Weitere Dateien',
  extras: {
    poster: 'Vorschaubild und weitere Bilder',
    captions: 'Untertitel',
    original: 'Die hochgeladene Datei',
    metadata: 'Metadaten',
  },
  template: {
    title: 'Kopien in Speicher',
    hint: 'Die Dateien jedes fertigen Videos werden in diese Speicher kopiert. Das Video ist auch abspielbar, wenn das fehlschlägt.',
    none: 'Fügen Sie einen eigenen Speicher hinzu, dann lassen Vorlagen Videos dorthin kopieren.',
    toStorages: 'Zu den Speichern',
    one: (position) => `Kopie ${position}`,
    add: 'Kopie hinzufügen',
    removeOne: (position) => `Kopie ${position} entfernen`,
    storageGone:
      'Dieser Speicher ist gelöscht oder gehört jemand anderem. Wählen Sie einen anderen oder entfernen Sie die Kopie.',
  },
  video: {
    title: 'Auslieferungen in Speicher',
    table: 'Tabelle der Auslieferungen',
    none: 'Die Dateien dieses Videos wurden noch in keinen Speicher kopiert.',
    deliver: 'In einen Speicher kopieren',
    deliverHint: 'Dateien, die dort schon sind, werden ersetzt; andere werden nicht gelöscht.',
    start: 'Kopieren',
    started: (name) => `Die Dateien werden nach ${name} kopiert.`,
    again: 'Erneut kopieren',
    states: { pending: 'Wartet', running: 'Wird kopiert', completed: 'Kopiert', failed: 'Fehlgeschlagen' },
    files: 'Dateien',
    copiedOf: (copied, total) => `${copied} von ${total}`,
    size: 'Größe',
    progressOf: (name) => `Fortschritt der Kopie nach ${name}`,
  },
};

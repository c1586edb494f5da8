const en = {
  play: (title: string) => `Play ${title}`,
  settings: 'Settings',
  format: 'Format',
  quality: 'Quality',
  automatic: 'Automatic',
  automaticAt: (label: string) => `Automatic (${label})`,
  speed: 'Speed',
  normal: 'Normal',
  captions: 'Captions',
  off: 'Off',
  audio: 'Audio',
  unknownLanguage: 'Default',
  notLoaded: 'The player could not be loaded. Check your connection and try again.',
  nothing: 'There is nothing to play yet.',
  failed: 'The video could not be played. Check your connection and try again, or choose another format.',
  expired: 'The links of this video have expired. Reload the page.',
  retry: 'Try again',
};

export type PlayerTexts = typeof en;

const de: PlayerTexts = {
  play: (title) => `${title} abspielen`,
  settings: 'Einstellungen',
  format: 'Format',
  quality: 'Qualität',
  automatic: 'Automatisch',
  automaticAt: (label) => `Automatisch (${label})`,
  speed: 'Geschwindigkeit',
  normal: 'Normal',
  captions: 'Untertitel',
  off: 'Aus',
  audio: 'Ton',
  unknownLanguage: 'Standard',
  notLoaded: 'Der Player konnte nicht geladen werden. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
  nothing: 'Es gibt noch nichts abzuspielen.',
  failed:
    'Das Video konnte nicht abgespielt werden. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut, oder wählen Sie ein anderes Format.',
  expired: 'Die Links dieses Videos sind abgelaufen. Laden Sie die Seite neu.',
  retry: 'Erneut versuchen',
};

/** The texts of the player in the language of the page. The embed page loads no other messages. */
export const playerTexts = (language: string): PlayerTexts => (language.startsWith('de') ? de : en);

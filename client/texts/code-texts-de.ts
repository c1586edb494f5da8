import type { CodeTexts } from './code-texts-en.ts';
import { type Facts, factTexts } from './fact-texts.ts';

const { one, list, isOne, word } = factTexts('de');

const tracks = (facts: Facts, kind: string): string =>
  isOne(facts.streams) ? `Die ${kind}spur ${one(facts.streams)}` : `Die ${kind}spuren ${list(facts.streams)}`;

const areLeftOut = (facts: Facts): string => (isOne(facts.streams) ? 'fehlt' : 'fehlen');

const choiceReasons = {
  role: 'die anderen sind nur für manche Zuschauer bestimmt',
  default: 'sie ist die Standardspur',
  length: 'sie ist die längste',
  size: 'sie hat das größte Bild',
  order: 'sie ist die erste',
};

const videoReasons = {
  auxiliary: 'nicht für Zuschauer bestimmt, etwa eine Tiefenkarte',
  unsupported: 'nicht dekodierbar',
  pictures: 'nur wenige Bilder',
};

const textReasons = {
  telemetry: 'Daten der Kamera',
  format: 'ein Format, das nicht umgewandelt werden kann',
  number: 'zu viele Spuren',
  language: 'eine andere Spur hat dieselbe Sprache und Art',
};

export const codeTextsDe: CodeTexts = {
  statuses: {
    pending: 'Wartet',
    queued: 'Wartet',
    downloading: 'Wird vorbereitet',
    running: 'Wird kodiert',
    uploading: 'Wird gepackt',
    completed: 'Bereit',
    failed: 'Fehlgeschlagen',
    cancelled: 'Abgebrochen',
    fetching: 'Wird geholt',
    stored: 'Gespeichert',
  },
  failures: {
    INPUT_EMPTY: 'Die Datei ist leer',
    INPUT_NOT_MEDIA: 'Die Datei ist weder Video noch Ton',
    INPUT_NO_TRACKS: 'Die Datei hat weder Bild noch Ton',
    INPUT_TRUNCATED: 'Die Datei ist unvollständig',
    INPUT_DAMAGED: 'Die Datei ist beschädigt',
    INPUT_ENCRYPTED: 'Die Datei ist verschlüsselt',
    INPUT_TOO_LARGE: 'Die Datei ist zu groß',
    INPUT_CLIP_EMPTY: 'Der Ausschnitt enthält kein Bild der Datei',
    INPUT_UNSUPPORTED: 'Das Format wird nicht unterstützt',
    INPUT_CROP_EMPTY: 'Der Zuschnitt lässt zu wenig vom Bild übrig',
    INPUT_TRACK_MISSING: 'Der Datei fehlt eine gewählte Spur',
    INPUT_GONE: 'Das Original gibt es nicht mehr',
    INPUT_UNREACHABLE: 'Der Server der URL liefert die Datei nicht',
    INPUT_CHANGED: 'Die Datei an der URL hat sich geändert',
    INPUT_ADDRESS: 'Die Adresse der URL ist nicht erlaubt',
    STORAGE_REFUSED: 'Der Speicher hat die Dateien abgelehnt',
    STORAGE_FAILED: 'Der Speicher hat die Dateien nicht angenommen',
    STORAGE_ADDRESS: 'Die Adresse des Speichers ist nicht erlaubt',
    STORAGE_MISMATCH: 'Der Speicher hat andere Bytes, als gesendet wurden',
    STORAGE_GONE: 'Der Besitzer des Videos hat diesen Speicher nicht',
    VIDEO_CHANGED: 'Das Video hat sich beim Kopieren geändert',
    FILES_MISSING: 'Das Video hat die Dateien nicht, die kopiert werden sollen',
    OUTPUT_NO_STREAMS: 'Für die Ausgabe ist keine Spur übrig',
    QUOTA_EXCEEDED: 'Das Kontingent ist aufgebraucht',
    REPLACE_CONFLICT: 'Die Quelle konnte nicht ersetzt werden',
    OUTPUT_MISMATCH: 'Das Ergebnis passte nicht zum Plan',
    RESULT_REFUSED: 'Das Ergebnis wurde abgelehnt',
    ENCODER_FAILED: 'Der Encoder ist fehlgeschlagen',
    ENCODER_STALLED: 'Der Encoder kam nicht voran',
    TIME_LIMIT: 'Es hat zu lange gedauert',
    MEMORY_LIMIT: 'Es brauchte zu viel Speicher',
    DISK_FULL: 'Die Platte des Workers war voll',
    STORE_FAILED: 'Der Speicher hat nicht geantwortet',
    MODEL_UNUSABLE: 'Das Sprachmodell ist nicht verwendbar',
    CANCELLED: 'Abgebrochen',
    WORKER_STOPPED: 'Der Worker hat aufgehört',
    INTERNAL: 'Interner Fehler',
  },
  noReason: 'Der Dienst nennt keinen Grund',
  decisions: {
    video_track_chosen: (facts) =>
      `Von den Videospuren wird Spur ${one(facts.stream)} kodiert: ${word(choiceReasons, facts.reason)}. Nicht verwendet: ${list(facts.streams)}.`,
    video_track_left_out: (facts) =>
      `${tracks(facts, 'Video')} ${areLeftOut(facts)}: ${word(videoReasons, facts.reason)}.`,
    audio_track_chosen: (facts) =>
      facts.reason === 'role'
        ? `Die Tonspur ${one(facts.stream)} ist die wichtigste: Die Standardspur ist nur für manche Zuschauer bestimmt.`
        : `Die Tonspur ${one(facts.stream)} ist die wichtigste: Sie ist die erste, und die Datei nennt nicht eine Spur als Standard.`,
    audio_track_left_out: (facts) =>
      facts.streams === undefined
        ? `So viele Tonspuren fehlen, weil die Datei mehr hat, als verwendet werden können: ${one(facts.tracks)}.`
        : `${tracks(facts, 'Ton')} ${areLeftOut(facts)}: Keine Ausgabe hat dafür Platz.`,
    audio_tracks_joined: (facts) =>
      `${tracks(facts, 'Ton')} sind mono und gleich lang: Sie sind die ${one(facts.channels)} Kanäle einer Spur.`,
    program_chosen: (facts) =>
      `Verwendet wird das Programm ${one(facts.program)} der Datei. Laden Sie die anderen als eigene Dateien hoch: Die Datei hat die Programme ${list(facts.programs)}.`,
    text_track_left_out: (facts) =>
      `${tracks(facts, 'Text')} ${areLeftOut(facts)}: ${word(textReasons, facts.reason)}.`,
    frame_rate_chosen: (facts) =>
      `Die Bildrate der Quelle schwankt, im Mittel ${one(facts.average_fps)}: Verwendet werden ${one(facts.fps)} Bilder pro Sekunde.`,
    frame_rate_capped: (facts) =>
      `Die Quelle hat ${one(facts.source_fps)} Bilder pro Sekunde, verlangt sind höchstens ${one(facts.limit_fps)}: Verwendet werden ${one(facts.fps)}.`,
    track_extended: (facts) =>
      facts.track === 'audio'
        ? `Tonspur ${list(facts.streams)}: Am ${facts.side === 'start' ? 'Anfang' : 'Ende'} werden ${one(facts.seconds)} s Stille ergänzt.`
        : `Das ${facts.side === 'start' ? 'erste' : 'letzte'} Bild wird ${one(facts.seconds)} s länger gezeigt, weil der Ton länger ist.`,
    level_raised: (facts) =>
      `${one(facts.stream)} hat das Level ${one(facts.level)} statt ${one(facts.asked)}, das für Bildgröße und Bildrate nicht reicht.`,
    frame_size_chosen: (facts) =>
      `Die Bildgröße wechselt: Das Video hat ${one(facts.size)} Pixel, andere Bilder werden darin eingepasst.`,
    picture_cropped: (facts) =>
      `Die Ränder, die laut Datei nicht sichtbar sind, werden abgeschnitten, in Pixeln: ${one(facts.left)} links, ${one(facts.right)} rechts, ${one(facts.top)} oben, ${one(facts.bottom)} unten.`,
    picture_unchanged: (facts) =>
      `Das Bild bleibt unverändert: Die Quelle ist ein 360°-Video (${one(facts.projection)}), das nicht zugeschnitten, gedreht oder gespiegelt werden kann.`,
    transparency_composited: (facts) =>
      `Durchsichtige Teile des Videos werden über der Farbe ${one(facts.background)} gezeigt.`,
    color_assumed: (facts) =>
      `Die Datei sagt nicht alles über ihre Farben. Angenommen: ${list(Object.values(facts).flat())}.`,
  },
  fields: {
    required: () => 'Das ist erforderlich.',
    prohibited: () => 'Das ist hier nicht zulässig.',
    wrong_type: () => 'Geben Sie einen Wert der richtigen Art ein.',
    too_short: (limit) => `Geben Sie mindestens ${limit} Zeichen ein.`,
    too_long: (limit) => `Geben Sie höchstens ${limit} Zeichen ein.`,
    too_few: (limit) => `Geben Sie mindestens ${limit} an.`,
    too_many: (limit) => `Geben Sie höchstens ${limit} an.`,
    too_small: (limit) => `Geben Sie ${limit} oder mehr ein.`,
    too_large: (limit) => `Geben Sie ${limit} oder weniger ein.`,
    format: () => 'Das hat nicht die richtige Form.',
    email: () => 'Geben Sie eine E-Mail-Adresse ein.',
    url: () => 'Geben Sie eine vollständige URL ein, etwa https://example.com/datei.',
    date: () => 'Geben Sie ein Datum ein, das es gibt.',
    unknown: () => 'Wählen Sie etwas, das es gibt.',
    taken: () => 'Das wird schon verwendet. Geben Sie etwas anderes ein.',
    credentials: () => 'Die E-Mail-Adresse oder das Passwort ist falsch.',
    wrong_password: () => 'Das Passwort ist falsch.',
    confirmation: () => 'Die Passwörter sind nicht gleich.',
    leaked_password: () => 'Viele benutzen dieses Passwort, es ist leicht zu erraten. Wählen Sie ein anderes.',
    scheme: () => 'Die URL muss mit https:// beginnen. Nur Dateien zum Holen dürfen auf http:// liegen.',
    url_credentials: () => 'Lassen Sie den Benutzernamen und das Passwort der URL weg.',
    not_public: () => 'Der Host der URL darf nur öffentliche Adressen haben.',
    loopback: () =>
      'Das ist der Rechner des Dienstes selbst. Starten Sie ihn zum Testen auf einem Rechner mit ALLOW_LOOPBACK_TARGETS=on.',
    no_ipv6: () => 'Der Dienst hat keine ausgehenden IPv6-Verbindungen. Geben Sie die IPv4-Adresse des Servers ein.',
    node_address: () => 'Das kann nicht die Adresse eines Servers sein.',
    key_format: () => 'Der Schlüssel ist nicht lesbar. Fügen Sie einen Schlüssel im Format von OpenSSH oder PEM ein.',
    key_passphrase: () => 'Der Schlüssel hat eine Passphrase. Fügen Sie einen ohne ein.',
    key_type: () => 'Der Schlüssel muss Ed25519, ECDSA oder RSA mit mindestens 2048 Bit sein.',
    key_pair: () => 'Der private Schlüssel gehört nicht zum öffentlichen.',
    invalid: () => 'Dieser Wert ist nicht zulässig.',
  },
  errors: {
    quota_exceeded: 'Das Kontingent dieses Monats reicht dafür nicht.',
    concurrent_change: 'Das hat gerade jemand anderes geändert. Versuchen Sie es erneut.',
    delivery_in_progress:
      'Die Dateien des Videos werden schon an diese Stelle des Speichers kopiert, oder an zu viele zugleich.',
    image_in_use: 'Vorlagen verwenden dieses Bild. Ändern oder löschen Sie diese zuerst.',
    last_administrator: 'Es muss eine Administratorin oder einen Administrator geben.',
    node_active: 'Dieser Schritt würde einen aktiven Server unterbrechen. Leeren Sie ihn zuerst.',
    node_busy: 'Auf dem Server läuft gerade ein Schritt. Warten Sie, bis er fertig ist.',
    node_not_active: 'Nur ein aktiver Server kann geleert werden.',
    node_step_missing: 'Zuerst muss ein früherer Schritt ausgeführt werden.',
    output_not_failed: 'Nur eine fehlgeschlagene Ausgabe kann gelöscht werden.',
    own_account: 'Das eigene Konto können Sie nicht löschen.',
    poster_in_progress: 'Ein anderes Vorschaubild wird gerade erstellt. Versuchen Sie es danach erneut.',
    source_deleted: 'Die hochgeladene Datei dieses Videos ist gelöscht.',
    ssh_key_in_use: 'Server verwenden diesen SSH-Schlüssel.',
    storage_in_use: 'Vorlagen, Auslieferungen oder Importe verwenden diesen Speicher. Beenden Sie diese zuerst.',
    ingest_batch_limit:
      'So viele Sammelimporte wie erlaubt werden gerade aufgelistet. Warten Sie, bis einer beendet ist, oder brechen Sie einen ab.',
    storage_limit: 'Mehr Speicher sind nicht möglich. Löschen Sie zuerst einen.',
    stream_in_progress: 'Diese Spur wird gerade kodiert. Versuchen Sie es danach erneut.',
    stream_is_original: 'Das Original kann nur mit dem Video gelöscht werden.',
    stream_required: 'Eine Ausgabe hat keine andere Spur dieser Art.',
    streams_changed: 'Spuren einer fehlgeschlagenen Ausgabe wurden geändert oder gelöscht.',
    template_in_use: 'Diese Vorlage wird verwendet.',
    token_limit: 'Mehr Tokens sind nicht möglich. Löschen Sie zuerst eines.',
    captions_exist: 'Das Video hat Untertitel in dieser Sprache.',
    transcript_search_unavailable: 'Dieser Dienst durchsucht keine Untertitel.',
    transcription_unavailable: 'Dieser Dienst kann keine Untertitel aus Sprache machen.',
    upload_complete: 'Dieser Upload ist bereits abgeschlossen.',
    upload_other_way: 'Dieser Upload wurde auf andere Weise begonnen.',
    user_has_videos: 'Dieses Konto hat noch Videos. Löschen oder übertragen Sie sie zuerst.',
    video_deleted: 'Das Video zu diesem Upload wurde gelöscht.',
    video_in_progress: 'Das Video wird gerade verarbeitet. Versuchen Sie es danach erneut.',
    video_not_completed: 'Das Video ist noch nicht fertig. Danach ist das möglich.',
    webhook_inactive: 'Dieser Webhook ist ausgeschaltet. Schalten Sie ihn zuerst ein.',
  },
  ofFailure: (failure, code, sentence) => `${failure} (${code}). Der Dienst schreibt dazu: „${sentence}“`,
  ofService: (sentence) => `Der Dienst nimmt das nicht an: „${sentence}“`,
  presets: {
    'hls-auto-1080p': {
      name: 'HLS, automatische Stufen bis 1080p',
      description:
        'H.264 mit gleichbleibender Qualität in fragmentiertem MP4. Die Stufen ergeben sich aus der Quelle, nie größer als sie oder 1080p. Die empfohlene Wahl.',
    },
    'hls-h264-fixed': {
      name: 'HLS, feste Stufen in H.264',
      description: 'Vier feste Stufen von 360p bis 1080p mit AAC in Stereo, in fragmentiertem MP4.',
    },
    'hls-ts-compat': {
      name: 'HLS-Transportstrom, für viele Geräte',
      description: 'H.264 Main und AAC in MPEG-TS-Segmenten für alte Empfänger und Player.',
    },
    'hls-dash-hevc-4k': {
      name: 'HLS und DASH, HEVC bis 2160p',
      description: 'Automatische Stufen in HEVC bis 2160p, für eine HLS- und eine DASH-Ausgabe gemeinsam.',
    },
    'dash-vp9-opus': {
      name: 'DASH mit VP9 und Opus',
      description:
        'Lizenzfreie Codecs für Browser: VP9 mit gleichbleibender Qualität bis zu einer Bitrate, Ton in Opus.',
    },
    'dash-av1': {
      name: 'DASH und HLS, AV1',
      description: 'Automatische Stufen in AV1 bis 1440p: die niedrigsten Bitraten und die längste Kodierung.',
    },
    'mp4-720p': {
      name: 'MP4 zum Herunterladen, 720p',
      description: 'Eine Datei mit H.264 und AAC, zum Herunterladen und für einfache Player.',
    },
    'audio-only': {
      name: 'Nur Ton',
      description: 'Alle Tonspuren der Quelle als AAC in HLS, und die Standardspur als eine MP4-Datei (M4A).',
    },
  },
};

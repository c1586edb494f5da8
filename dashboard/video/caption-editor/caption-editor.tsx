import { useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../../client/api-error.ts';
import { parseCaptionText } from '../../../shared/captions/parse-captions.ts';
import { useAction } from '../../api/use-action.ts';
import { announce } from '../../components/announcer.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { saveFile } from '../../components/save-file.ts';
import { useUnsaved } from '../../layout/use-unsaved.ts';
import { text } from '../../messages/messages.ts';
import type { PlayerControl } from '../../player/playback.tsx';
import type { Caption } from '../captions/caption-form.ts';
import { VideoPlayer } from '../video-player.tsx';
import { plays, type Video } from '../video-properties.ts';
import * as cueEdits from './cue-edits.ts';
import { type FileFault, faultOfFile, faultsOf, fileOf } from './cue-faults.ts';
import { CueForm } from './cue-form.tsx';
import { CueList } from './cue-list.tsx';
import { keysOf, type Shortcut, shortcutOf } from './shortcuts.ts';
import {
  type Conflict,
  conflictWith,
  loadCaptions,
  type StoredCaptions,
  storeCaptions,
  type Track,
} from './stored-captions.ts';

type CaptionEditorProps = { track: Track; video: Video; caption: Caption; file: string };
type Change = (edits: cueEdits.Edits) => cueEdits.Edits;

const maxShownFaults = 10;

/** The cues of captions beside the player. */
export function CaptionEditor({ track, video, caption: loadedCaption, file: loadedFile }: CaptionEditorProps) {
  const [stored, setStored] = useState({ caption: loadedCaption, file: loadedFile });
  const [edits, change] = useReducer((edits: cueEdits.Edits, change: Change) => change(edits), stored.file, editsOf);
  const [storedCues, setStoredCues] = useState(edits.cues);
  const [conflict, setConflict] = useState<{ kind: Conflict; now: StoredCaptions | null }>();
  const [hasTried, setHasTried] = useState(false);
  const [saves, setSaves] = useState(0);
  const [element, setElement] = useState<HTMLVideoElement>();
  const player = useRef<PlayerControl>(null);
  const form = useRef<HTMLFieldSetElement>(null);
  const playingIndex = usePlayingIndex(element, edits.cues);
  const { editor: messages } = text.value.captions;
  const isChanged = edits.cues !== storedCues;
  useUnsaved(isChanged);

  const selectedIndex = cueEdits.indexOf(edits);
  const cue = edits.cues[selectedIndex];
  const faulty = useMemo(
    () => edits.cues.flatMap((one, index) => (faultsOf(one).length > 0 ? [index] : [])),
    [edits.cues],
  );
  const [fileFault, setFileFault] = useState<FileFault>();
  const playerMs = (): number | undefined => element && Math.round(element.currentTime * 1000);
  const control = (name: string) =>
    form.current?.querySelector<HTMLInputElement | HTMLTextAreaElement>(`[name=${name}]`);
  const focusText = (): void => void setTimeout(() => control('text')?.focus());

  const replaceAll = (next: StoredCaptions & { file: string }): void => {
    const loaded = editsOf(next.file);
    change((before) => ({ ...loaded, selectedId: loaded.cues[cueEdits.indexOf(before)]?.id ?? loaded.selectedId }));
    setStoredCues(loaded.cues);
    setStored(next);
    setHasTried(false);
  };
  const latest = useRef<{ cues: typeof edits.cues; act: typeof act; isDisabled: typeof isDisabled }>(null!);
  const save = useAction(async (isAnyway: boolean) => {
    setConflict(undefined);
    const now = (await loadCaptions(track)).data;
    const found = conflictWith(now, stored.file);
    if (found !== undefined && !isAnyway) {
      setConflict({ kind: found, now });
      return;
    }
    const { cues } = edits;
    const file = fileOf(cues);
    const caption = await storeCaptions(track.ulid, (now ?? stored).caption, file);
    if (latest.current.cues === cues) replaceAll({ caption, file });
    else {
      // The user went on while it was stored.
      setStoredCues(cues);
      setStored({ caption, file });
    }
    setSaves((count) => count + 1);
    announce(messages.saved);
  });
  /** Save was chosen again while a save runs. */
  const savesAgain = useRef(false);
  useEffect(() => {
    if (save.isRunning || !savesAgain.current) return;
    savesAgain.current = false;
    if (isChanged && save.error === undefined && conflict === undefined) trySave();
  }, [save.isRunning]);
  const trySave = (): void => {
    savesAgain.current = save.isRunning;
    if (save.isRunning) return;
    const found = faultOfFile(edits.cues, fileOf(edits.cues));
    setFileFault(found);
    setHasTried(true);
    const [first] = faulty;
    if (first !== undefined) change((before) => cueEdits.select(before, before.cues[first]!.id));
    if (first !== undefined || found !== undefined) announce(messages.notSaved);
    else void save.run(false);
  };

  const act: Record<Shortcut, () => void> = {
    save: () => isChanged && trySave(),
    previous: () => change((before) => cueEdits.step(cueEdits.settle(before), -1)),
    next: () => change((before) => cueEdits.step(cueEdits.settle(before), 1)),
    play: () => {
      if (element === undefined) jump();
      else if (element.paused) void element.play().catch(() => undefined);
      else element.pause();
    },
    jump: () => jump(),
    start: () => setTime('startMs'),
    end: () => setTime('endMs'),
    split: () => {
      const offset = document.activeElement === control('text') ? control('text')?.selectionStart : undefined;
      const timeMs = playerMs();
      change((before) => cueEdits.split(before, { offset: offset ?? undefined, timeMs }));
      announce(messages.done.split);
    },
    merge: () => {
      change(cueEdits.merge);
      announce(messages.done.merge);
    },
    add: () => {
      const timeMs = playerMs();
      change((before) => cueEdits.add(before, timeMs));
      announce(messages.done.add);
      focusText();
    },
    remove: () => {
      change(cueEdits.remove);
      announce(messages.done.remove);
    },
    undo: () => {
      change(cueEdits.undo);
      announce(messages.done.undo);
    },
  };
  const jump = (): void => {
    if (cue && !Number.isNaN(cue.startMs)) player.current?.seek(cue.startMs / 1000);
  };
  const setTime = (field: 'startMs' | 'endMs'): void => {
    const ms = playerMs();
    if (ms !== undefined) change((before) => cueEdits.settle(cueEdits.change(before, { [field]: ms })));
  };
  const needsPlayer = (shortcut: Shortcut): boolean =>
    shortcut === 'start' || shortcut === 'end'
      ? element === undefined
      : !plays(video) && ['play', 'jump'].includes(shortcut);
  const isDisabled = (shortcut: Shortcut): boolean =>
    needsPlayer(shortcut) ||
    (shortcut === 'undo' && edits.past.length === 0) ||
    (shortcut === 'merge' && selectedIndex >= edits.cues.length - 1) ||
    (cue === undefined && !['save', 'add', 'undo', 'play'].includes(shortcut));
  latest.current = { cues: edits.cues, act, isDisabled };
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const shortcut = shortcutOf(event);
      if (shortcut === undefined || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      if (!latest.current.isDisabled(shortcut)) latest.current.act[shortcut]();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);

  const button = (shortcut: Shortcut) => (
    <Button onClick={act[shortcut]} disabled={isDisabled(shortcut)} aria-keyshortcuts={keysOf(shortcut)}>
      {messages.actions[shortcut]} <Keys of={shortcut} />
    </Button>
  );
  const isGone = save.error instanceof ApiError && save.error.status === 404;
  return (
    <>
      <PageTitle title={messages.titleOf(stored.caption.label)}>
        <a class="button" href={`/videos/${track.ulid}`}>
          {messages.toVideo}
        </a>
        <Button onClick={() => saveFile(`${track.language}.vtt`, 'text/vtt', fileOf(edits.cues))}>
          {text.value.captions.download}
        </Button>
        {button('undo')}
        <Button
          variant="primary"
          onClick={act.save}
          isBusy={save.isRunning}
          disabled={!isChanged}
          aria-keyshortcuts={keysOf('save')}
        >
          {text.value.common.save} <Keys of="save" />
        </Button>
      </PageTitle>
      <p class="hint">
        {video.name} · {messages.cues(edits.cues.length)} · {isChanged ? messages.unsaved : messages.unchanged}
      </p>
      {isGone ? (
        <p class="notice notice-error" role="alert">
          {messages.videoGone}
        </p>
      ) : (
        <ErrorNotice error={save.error} />
      )}
      {hasTried && (faulty.length > 0 || fileFault !== undefined) && (
        <div class="notice notice-error" role="alert">
          <div>
            <p>{fileFault === undefined ? messages.faultCount(faulty.length) : messages.fileFaults[fileFault]}</p>
            <ul>
              {faulty.slice(0, maxShownFaults).map((index) => (
                <li key={edits.cues[index]!.id}>
                  <button
                    type="button"
                    class="link-button"
                    onClick={() => change((before) => cueEdits.select(before, before.cues[index]?.id))}
                  >
                    {messages.cue(index + 1)}
                  </button>
                  :{' '}
                  {faultsOf(edits.cues[index]!)
                    .map((fault) => messages.faults[fault])
                    .join(' ')}
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
      <div class="caption-editor">
        {plays(video) && <VideoPlayer video={video} captionChanges={saves} control={player} onVideo={setElement} />}
        {edits.cues.length === 0 ? (
          <EmptyState title={messages.empty}>{messages.emptyHint}</EmptyState>
        ) : (
          <CueList
            cues={edits.cues}
            selectedIndex={selectedIndex}
            playingIndex={playingIndex}
            language={track.language}
            onSelect={(index) => change((before) => cueEdits.select(before, before.cues[index]?.id))}
            onOpen={focusText}
          />
        )}
        <div class="stack">
          {cue && (
            <CueForm
              cue={cue}
              next={edits.cues[selectedIndex + 1]}
              number={selectedIndex + 1}
              durationMs={video.duration === null ? undefined : video.duration * 1000}
              language={track.language}
              form={form}
              onChange={(changes) => change((before) => cueEdits.change(before, changes))}
              onSettle={() => change(cueEdits.settle)}
            />
          )}
          <div class="row">
            {(['play', 'jump', 'start', 'end', 'split', 'merge', 'add', 'remove'] as const).map((shortcut) => (
              <span key={shortcut}>{button(shortcut)}</span>
            ))}
          </div>
          <p class="hint">{messages.keys(shownKeys('previous'), shownKeys('next'))}</p>
        </div>
      </div>
      {conflict && (
        <ConflictDialog
          kind={conflict.kind}
          onSave={() => void save.run(true)}
          onLoad={
            conflict.kind === 'changed' && conflict.now?.file
              ? () => {
                  replaceAll({ caption: conflict.now!.caption, file: conflict.now!.file! });
                  setConflict(undefined);
                }
              : undefined
          }
          onClose={() => setConflict(undefined)}
        />
      )}
    </>
  );
}

/** The keys as they are on the keyboard. Screen readers have `aria-keyshortcuts`. */
const shownKeys = (shortcut: Shortcut): string =>
  keysOf(shortcut)
    .replace('Control', text.value.captions.editor.controlKey)
    .replace('ArrowUp', '↑')
    .replace('ArrowDown', '↓');

const Keys = ({ of }: { of: Shortcut }) => (
  <span class="cue-keys" aria-hidden="true">
    {shownKeys(of)}
  </span>
);

const editsOf = (file: string): cueEdits.Edits => cueEdits.beginEdits(parseCaptionText(file, 'vtt'));

/** The index of the cue that the player shows. Renders when it becomes another one, not with each moment. */
function usePlayingIndex(video: HTMLVideoElement | undefined, cues: readonly cueEdits.EditedCue[]): number {
  const [index, setIndex] = useState(-1);
  useEffect(() => {
    if (video === undefined) return setIndex(-1);
    const read = (): void => setIndex(cueEdits.cueAt(cues, video.currentTime * 1000));
    read();
    const events = ['timeupdate', 'seeking', 'seeked'];
    for (const name of events) video.addEventListener(name, read);
    return () => {
      for (const name of events) video.removeEventListener(name, read);
    };
  }, [video, cues]);
  return index;
}

type ConflictDialogProps = {
  kind: Conflict;
  onSave(): void;
  /** Takes what the service has. Undefined where it has nothing to take. */
  onLoad: (() => void) | undefined;
  onClose(): void;
};

function ConflictDialog({ kind, onSave, onLoad, onClose }: ConflictDialogProps) {
  const { common, captions } = text.value;
  const messages = captions.editor.conflicts;
  return (
    <Dialog title={messages.title} onClose={onClose}>
      <p>{messages[kind]}</p>
      <div class="dialog-actions">
        <Button autofocus onClick={onClose}>
          {common.cancel}
        </Button>
        {onLoad && <Button onClick={onLoad}>{messages.load}</Button>}
        <Button variant="danger" onClick={onSave}>
          {messages.save}
        </Button>
      </div>
    </Dialog>
  );
}

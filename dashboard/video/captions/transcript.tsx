import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SelectField } from '../../components/field.tsx';
import { Loading } from '../../components/loading.tsx';
import { text } from '../../messages/messages.ts';
import { type Caption, nameOf } from './caption-form.ts';

type TranscriptProps = {
  ulid: string;
  /** those with a file */
  captions: readonly Caption[];
  /** Undefined while nothing plays. */
  onSeek: ((seconds: number) => void) | undefined;
};

/** What is said in a video, with times. It is loaded when it is opened. */
export function Transcript({ ulid, captions, onSeek }: TranscriptProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [chosen, setChosen] = useState<string>();
  const caption = captions.find((one) => one.ulid === chosen) ?? captions[0];
  const { captions: messages } = text.value;
  if (caption === undefined) return null;
  return (
    <details class="transcript" open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{messages.transcript}</summary>
      {isOpen && (
        <div class="stack">
          {captions.length > 1 && (
            <SelectField
              label={messages.transcriptOf}
              value={caption.ulid}
              onValue={setChosen}
              options={captions.map((one) => ({ value: one.ulid, label: nameOf(one) }))}
            />
          )}
          {/* The URL changes with the text. */}
          <Lines key={`${caption.ulid} ${caption.url}`} ulid={ulid} caption={caption} onSeek={onSeek} />
        </div>
      )}
    </details>
  );
}

/** A talk of an hour has about as many. */
const shownAtOnce = 500;

type LinesProps = Pick<TranscriptProps, 'ulid' | 'onSeek'> & { caption: Caption };

function Lines({ ulid, caption: { language, kind, url }, onSeek }: LinesProps) {
  const [shown, setShown] = useState(shownAtOnce);
  const { common, captions: messages } = text.value;
  const params = { path: { ulid, language }, query: { kind } };
  const { data, error, reload } = useResource(
    (signal) => api.GET('/api/videos/{ulid}/captions/{language}/text', { params, parseAs: 'text', signal }),
    { key: `${ulid} ${language} ${kind} ${url}` },
  );
  if (data === undefined) {
    return error === undefined ? <Loading /> : <ErrorNotice error={error} onRetry={reload} />;
  }
  const lines = transcriptLines(data);
  return (
    <>
      <div>
        <CopyButton value={data} label={messages.copyTranscript} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <section class="transcript-lines" aria-label={messages.transcript} tabIndex={0}>
        <ol lang={language}>
          {lines.slice(0, shown).map(({ time, seconds, words }, index) => (
            <li key={index}>
              {onSeek ? (
                <button
                  type="button"
                  class="link-button"
                  aria-label={messages.seekTo(time)}
                  onClick={() => onSeek(seconds)}
                >
                  {time}
                </button>
              ) : (
                <span class="hint">{time}</span>
              )}
              <span dir="auto">{words}</span>
            </li>
          ))}
        </ol>
        {shown < lines.length && <Button onClick={() => setShown(shown + shownAtOnce)}>{common.more}</Button>}
      </section>
    </>
  );
}

type TranscriptLine = { time: string; seconds: number; words: string };

/** The lines of a transcript such as `[00:01:02.500] Good morning!`, with times as a player shows them. */
export const transcriptLines = (transcript: string): TranscriptLine[] =>
  [...transcript.matchAll(/^\[(\d+):(\d\d):(\d\d\.\d{3})\] (.*)$/gm)].map(
    ([, hours, minutes, rest = '', words = '']) => ({
      time: `${Number(hours) > 0 ? `${Number(hours)}:` : ''}${minutes}:${rest.slice(0, 2)}`,
      seconds: Number(hours) * 3600 + Number(minutes) * 60 + Number(rest),
      words,
    }),
  );

import type { ComponentChildren } from 'preact';
import { formatDuration } from '../messages/format.ts';
import { text } from '../messages/messages.ts';
import { TextField } from './field.tsx';

/** A part of a video. '' is the start or the end of the video; other texts are seconds. */
export type Part = { start: string; end: string };

type TrimBarProps = {
  /** absent where it is not known: then only the times are shown */
  durationSeconds: number | undefined;
  part: Part;
  onPart(part: Part): void;
  errors?: Readonly<Record<string, readonly string[]>>;
  /** what the bar lies over, such as frames */
  children?: ComponentChildren;
};

/** A number with a point or a comma; NaN for any other text. */
const numberOf = (typed: string): number => Number(typed.trim().replace(',', '.'));

/**
 * Any other text is sent as it is, and the API says what is expected. NaN becomes null in JSON, which is the start or
 * the end of the video.
 */
const sent = (typed: string): number => (Number.isFinite(numberOf(typed)) ? numberOf(typed) : (typed as never));

/** The body of a request has only what is given. */
export const clipOf = ({ start, end }: Part): { start_seconds?: number; end_seconds?: number } => ({
  ...(start.trim() !== '' && { start_seconds: sent(start) }),
  ...(end.trim() !== '' && { end_seconds: sent(end) }),
});

const stepSeconds = 0.1;

/** Chooses a part of a video, by two sliders over its frames or by its times. */
export function TrimBar({ durationSeconds, part, onPart, errors = {}, children }: TrimBarProps) {
  const messages = text.value.common;
  return (
    <div class="stack">
      {durationSeconds !== undefined && (
        <Sliders durationSeconds={durationSeconds} part={part} onPart={onPart}>
          {children}
        </Sliders>
      )}
      <div class="trim-times">
        <TextField
          label={messages.partStartSeconds}
          inputMode="decimal"
          value={part.start}
          onValue={(value) => onPart({ ...part, start: value })}
          errors={errors.start_seconds ?? errors.clip}
        />
        <TextField
          label={messages.partEndSeconds}
          inputMode="decimal"
          value={part.end}
          onValue={(value) => onPart({ ...part, end: value })}
          errors={errors.end_seconds}
        />
      </div>
    </div>
  );
}

type SlidersProps = { durationSeconds: number; part: Part; onPart(part: Part): void; children?: ComponentChildren };

function Sliders({ durationSeconds, part, onPart, children }: SlidersProps) {
  const messages = text.value.common;
  const secondsOf = (typed: string, byDefault: number): number => {
    const seconds = typed.trim() === '' ? byDefault : numberOf(typed);
    return Number.isFinite(seconds) ? Math.min(durationSeconds, Math.max(0, seconds)) : byDefault;
  };
  const [start, end] = [secondsOf(part.start, 0), secondsOf(part.end, durationSeconds)];
  const share = (seconds: number): string => `${(100 * seconds) / durationSeconds}%`;
  const shown = (seconds: number): string => String(Math.round(seconds * 1000) / 1000);
  const slider = (label: string, seconds: number, onSeconds: (chosen: number) => void) => (
    <input
      type="range"
      aria-label={label}
      aria-valuetext={formatDuration(seconds)}
      min={0}
      max={durationSeconds}
      step={stepSeconds}
      value={seconds}
      onInput={({ currentTarget }) => onSeconds(Number(currentTarget.value))}
    />
  );
  return (
    <div>
      <div class="trim-bar">
        <div class="trim-frames" aria-hidden="true">
          {children}
        </div>
        <div class="trim-outside" style={{ left: 0, width: share(start) }} />
        <div class="trim-outside" style={{ left: share(end), right: 0 }} />
        {slider(messages.partStart, start, (chosen) =>
          onPart({ ...part, start: shown(Math.min(chosen, Math.max(0, end - stepSeconds))) }),
        )}
        {slider(messages.partEnd, end, (chosen) =>
          onPart({ ...part, end: shown(Math.max(chosen, Math.min(durationSeconds, start + stepSeconds))) }),
        )}
      </div>
      <p class="hint">{messages.partLength(formatDuration(Math.max(0, end - start)))}</p>
    </div>
  );
}

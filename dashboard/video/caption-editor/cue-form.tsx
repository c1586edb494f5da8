import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { formatCueTime } from '../../../shared/captions/web-vtt.ts';
import { TextArea, TextField } from '../../components/field.tsx';
import { text } from '../../messages/messages.ts';
import { type CueChanges, type EditedCue, parseTime } from './cue-edits.ts';
import { type CueFault, faultsOf, warningsOf } from './cue-faults.ts';

type CueFormProps = {
  cue: EditedCue;
  next: EditedCue | undefined;
  /** counted from 1 */
  number: number;
  durationMs: number | undefined;
  language: string;
  form: RefObject<HTMLFieldSetElement>;
  onChange(changes: CueChanges): void;
  /** A time is typed: the cue may have another place now. */
  onSettle(): void;
};

/** The fields of one cue. */
export function CueForm({ cue, next, number, durationMs, language, form, onChange, onSettle }: CueFormProps) {
  const { editor: messages } = text.value.captions;
  const faults = faultsOf(cue);
  const warnings = warningsOf(cue, next, durationMs);
  const errorsOf = (...own: CueFault[]): string[] =>
    own.filter((fault) => faults.includes(fault)).map((fault) => messages.faults[fault]);
  return (
    <fieldset class="fieldset" ref={form}>
      <legend>{messages.cue(number)}</legend>
      <div class="cue-fields">
        <TimeField
          key={`start ${cue.id}`}
          label={messages.start}
          name="start"
          ms={cue.startMs}
          onMs={(startMs) => onChange({ startMs })}
          onSettle={onSettle}
          errors={errorsOf('noStart')}
        />
        <TimeField
          key={`end ${cue.id}`}
          label={messages.end}
          name="end"
          ms={cue.endMs}
          onMs={(endMs) => onChange({ endMs })}
          onSettle={onSettle}
          errors={errorsOf('noEnd', 'endBeforeStart', 'tooLate')}
        />
      </div>
      <TextArea
        label={messages.text}
        hint={messages.textHint}
        name="text"
        lang={language}
        dir="auto"
        rows={3}
        value={cue.text}
        onValue={(text) => onChange({ text })}
        errors={errorsOf('noText')}
      />
      {warnings.map((warning) => (
        <p key={warning} class="notice notice-warning">
          {messages.warnings[warning]}
        </p>
      ))}
    </fieldset>
  );
}

type TimeFieldProps = {
  label: string;
  name: string;
  ms: number;
  onMs(ms: number): void;
  onSettle(): void;
  errors: readonly string[];
};

const stepMs = 100;

/** A time, which the arrow keys change by a tenth of a second, with Shift by a second. */
function TimeField({ label, name, ms, onMs, onSettle, errors }: TimeFieldProps) {
  const [typed, setTyped] = useState<string>();
  const isTyped = typed !== undefined && Object.is(parseTime(typed), ms);
  const shift = (event: KeyboardEvent): void => {
    const sign = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (sign === undefined || event.altKey || Number.isNaN(ms)) return;
    event.preventDefault();
    onMs(Math.max(0, ms + sign * (event.shiftKey ? 10 * stepMs : stepMs)));
  };
  return (
    <TextField
      label={label}
      name={name}
      autocomplete="off"
      spellcheck={false}
      value={isTyped ? typed : Number.isNaN(ms) ? '' : formatCueTime(ms)}
      onValue={(value) => {
        setTyped(value);
        onMs(parseTime(value));
      }}
      onKeyDown={shift}
      onBlur={() => {
        if (!Number.isNaN(ms)) setTyped(undefined);
        onSettle();
      }}
      errors={errors}
    />
  );
}

import { useEffect, useState } from 'preact/hooks';
import { TextField } from '../components/field.tsx';
import { text } from '../messages/messages.ts';
import { presetRange, type RangeChoice, rangeFault, rangePresets } from './date-range.ts';

type RangePickerProps = { choice: RangeChoice; today: string; onChoice(choice: RangeChoice): void };

/** The ranges that are chosen most. */
export const RangePresets = ({ choice, today, onChoice }: RangePickerProps) => (
  <fieldset class="segments">
    <legend class="visually-hidden">{text.value.usage.range}</legend>
    {rangePresets.map((preset) => (
      <label key={preset}>
        <input
          type="radio"
          name="range"
          checked={choice.preset === preset}
          onChange={() => onChoice({ preset, ...presetRange(preset, today) })}
        />
        {text.value.usage.presets[preset]}
      </label>
    ))}
  </fieldset>
);

/** Presets, and two dates for any other range. Dates that are no range are kept in the fields with a message. */
export function RangePicker({ choice, today, onChoice }: RangePickerProps) {
  const messages = text.value.usage;
  const [own, setOwn] = useState({ from: choice.from, to: choice.to });
  useEffect(() => setOwn({ from: choice.from, to: choice.to }), [choice.from, choice.to]);
  const fault = rangeFault(own);
  const change = (changed: Partial<typeof own>): void => {
    const range = { ...own, ...changed };
    setOwn(range);
    if (rangeFault(range) === undefined) onChoice({ preset: 'own', ...range });
  };
  return (
    <>
      <RangePresets choice={choice} today={today} onChoice={onChoice} />
      <TextField
        label={messages.from}
        type="date"
        value={own.from}
        max={today}
        onValue={(from) => change({ from })}
        errors={fault === undefined ? [] : [messages.rangeFaults[fault]]}
      />
      <TextField label={messages.to} type="date" value={own.to} max={today} onValue={(to) => change({ to })} />
    </>
  );
}

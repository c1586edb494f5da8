import { Checkbox, type Option, SelectField, TextField } from '../../components/field.tsx';
import { text } from '../../messages/messages.ts';
import type { Query } from '../query/query.ts';
import { setAudioCodec, setFormat, setVideoMode } from '../query/query-changes.ts';
import { errorsOfField, type PathError } from '../query/query-errors.ts';
import {
  canCopy,
  mixed,
  type QueryForm,
  readForm,
  setField,
  type TextFieldName,
  type VideoMode,
} from '../query/query-form.ts';
import { Renditions } from './renditions.tsx';
import type { TemplateOptions } from './template-options.ts';

type QueryFieldsProps = {
  query: Query;
  errors: readonly PathError[];
  options: TemplateOptions;
  isReadOnly: boolean;
  onQuery(query: Query): void;
};

const maxHeights = ['2160', '1440', '1080', '720', '540', '480', '360', '240'];
const renditionCounts = ['1', '2', '3', '4', '5', '6', '7', '8'];
const frameRates = ['24', '25', '30', '50', '60'];

export function QueryFields({ query, errors, options, isReadOnly, onQuery }: QueryFieldsProps) {
  const { templates: messages } = text.value;
  const form = readForm(query);
  const { fields } = messages;
  const shared = (name: keyof QueryForm) => ({ disabled: isReadOnly, errors: errorsOfField(errors, name) });
  const field = (name: TextFieldName) => ({
    ...shared(name),
    label: fields[name],
    value: form[name],
    onValue: (value: string) => onQuery(setField(query, name, value)),
  });
  const select = (name: TextFieldName, choices: readonly Option[], hint?: string) => (
    <SelectField {...field(name)} hint={hint} options={withCurrent(choices, form[name], messages.mixed)} />
  );
  const byDefault = (label: string): Option => ({ value: '', label });
  const hasVideo = form.videoMode !== 'none';
  return (
    <div class="query-fields">
      <fieldset>
        <legend>{messages.video}</legend>
        <SelectField
          {...shared('videoMode')}
          label={fields.videoMode}
          hint={messages.videoModeHints[form.videoMode]}
          value={form.videoMode}
          onValue={(mode) => onQuery(setVideoMode(query, mode as VideoMode, options.resolutions))}
          options={(['ladder', 'fixed', 'none'] as const).map((value) => ({
            value,
            label: messages.videoModes[value],
          }))}
        />
        {hasVideo && select('videoCodec', options.videoCodecs)}
        {form.videoMode === 'ladder' && (
          <>
            {select('maxHeight', [byDefault(messages.byDefault('1080p')), ...maxHeights.map(heightOption)])}
            {select('maxRenditions', [byDefault(messages.byDefault('5')), ...renditionCounts.map(sameLabel)])}
          </>
        )}
        {hasVideo && select('maxFps', [byDefault(messages.sourceFps), ...frameRates.map(sameLabel)])}
        {hasVideo &&
          select('encoderPreset', [
            byDefault(messages.byDefault(options.defaults.encoderPreset)),
            ...options.encoderPresets.map(sameLabel),
          ])}
        <div class="query-explained">
          {form.videoMode === 'ladder' &&
            select(
              'ladderMode',
              [byDefault(messages.byDefault(messages.ladderModes.bitrate)), ...optionsOf(messages.ladderModes)],
              hintOf(messages.ladderModeHints, form.ladderMode || 'bitrate'),
            )}
          {(hasVideo || query.copy !== undefined) &&
            select(
              'copy',
              [byDefault(messages.byDefault(messages.copies.off)), ...optionsOf(messages.copies)],
              hintOf(messages.copyHints, form.copy === 'auto' && !canCopy(query) ? 'noEffect' : form.copy || 'off'),
            )}
        </div>
      </fieldset>
      {form.videoMode === 'fixed' && (
        <Renditions query={query} errors={errors} options={options} isReadOnly={isReadOnly} onQuery={onQuery} />
      )}
      <fieldset>
        <legend>{messages.outputs}</legend>
        <div class="query-wide">
          <p class="row">
            {options.formats.map(({ value, label }) => (
              <Checkbox
                key={value}
                label={label}
                isChecked={form.formats.includes(value)}
                disabled={isReadOnly}
                onChecked={(isOn) => onQuery(setFormat(query, value, isOn))}
              />
            ))}
          </p>
          <FieldErrors messages={errorsOfField(errors, 'formats')} />
        </div>
        <TextField
          {...field('segmentSeconds')}
          value={form.segmentSeconds === mixed ? '' : form.segmentSeconds}
          hint={form.segmentSeconds === mixed ? messages.mixed : messages.byDefault(options.defaults.segmentSeconds)}
          inputMode="numeric"
        />
      </fieldset>
      <fieldset>
        <legend>{messages.audio}</legend>
        <SelectField
          {...shared('audioCodec')}
          label={fields.audioCodec}
          value={form.audioCodec}
          onValue={(codec) => codec !== mixed && onQuery(setAudioCodec(query, codec))}
          options={withCurrent([byDefault(messages.noAudio), ...options.audioCodecs], form.audioCodec, messages.mixed)}
        />
        {form.audioCodec !== '' && (
          <>
            {select('audioBitrate', [
              byDefault(messages.byDefault(options.defaults.audioBitrate)),
              ...bitratesOf(options, form.audioCodec).map(sameLabel),
            ])}
            {select('audioTracks', [
              byDefault(messages.byDefault(messages.audioTracks.default)),
              { value: 'default', label: messages.audioTracks.default },
              { value: 'all', label: messages.audioTracks.all },
            ])}
          </>
        )}
      </fieldset>
      <fieldset>
        <legend>{messages.captions}</legend>
        {select('embeddedCaptions', [
          byDefault(messages.byDefault(messages.embeddedCaptions.all)),
          { value: 'all', label: messages.embeddedCaptions.all },
          { value: 'none', label: messages.embeddedCaptions.none },
        ])}
      </fieldset>
    </div>
  );
}

/** Errors that belong to several controls. */
const FieldErrors = ({ messages }: { messages: readonly string[] }) =>
  messages.length === 0 ? null : (
    <p class="field-errors" role="alert">
      {messages.join(' ')}
    </p>
  );

const optionsOf = (labels: Record<string, string>): Option[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

/** Values that the form does not know have none. */
const hintOf = (hints: Record<string, string>, value: string): string | undefined =>
  Object.hasOwn(hints, value) ? hints[value] : undefined;

const sameLabel = (value: string): Option => ({ value, label: value });
const heightOption = (height: string): Option => ({ value: height, label: `${height}p` });

/** The choices, with the present value if it is none of them. */
const withCurrent = (choices: readonly Option[], value: string, mixedLabel: string): Option[] =>
  choices.some((choice) => choice.value === value)
    ? [...choices]
    : [...choices, { value, label: value === mixed ? mixedLabel : value === '' ? '–' : value }];

const bitratesOf = ({ audioCodecs }: TemplateOptions, codec: string): string[] =>
  (audioCodecs.find(({ value }) => value === codec) ?? audioCodecs[0])?.bitrates ?? [];

import { useState } from 'preact/hooks';
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
  shownList,
  type TextFieldName,
  type VideoMode,
} from '../query/query-form.ts';
import { PictureFields } from './picture-fields.tsx';
import { Renditions } from './renditions.tsx';
import { TemplateDeliveries } from './template-deliveries.tsx';
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
const imageTimes = ['count 1', 'count 3', 'count 5', 'count 10', 'count 20', 'interval 10', 'interval 60'];
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
  const notSet = (label: string): Option => ({ value: '', label });
  /** The default is one option: that of a setting that is left out. A query may say the same value itself. */
  const withDefault = (name: TextFieldName, byDefault: string, choices: readonly Option[]): Option[] => [
    notSet(messages.byDefault(choices.find(({ value }) => value === byDefault)?.label ?? byDefault)),
    ...choices.filter(({ value }) => value !== byDefault || form[name] === value),
  ];
  const selectWithDefault = (name: TextFieldName, byDefault: string, choices: readonly Option[], hint?: string) =>
    select(name, withDefault(name, byDefault, choices), hint);
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
            {selectWithDefault('maxHeight', '1080', maxHeights.map(heightOption))}
            {selectWithDefault('maxRenditions', '5', renditionCounts.map(sameLabel))}
          </>
        )}
        {hasVideo && select('maxFps', [notSet(messages.sourceFps), ...frameRates.map(sameLabel)])}
        {hasVideo &&
          selectWithDefault('encoderPreset', options.defaults.encoderPreset, options.encoderPresets.map(sameLabel))}
        <div class="query-explained">
          {form.videoMode === 'ladder' &&
            selectWithDefault(
              'ladderMode',
              'bitrate',
              optionsOf(messages.ladderModes),
              hintOf(messages.ladderModeHints, form.ladderMode || 'bitrate'),
            )}
          {(hasVideo || query.copy !== undefined) &&
            selectWithDefault(
              'copy',
              'off',
              optionsOf(messages.copies),
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
          options={withCurrent([notSet(messages.noAudio), ...options.audioCodecs], form.audioCodec, messages.mixed)}
        />
        {form.audioCodec !== '' && (
          <>
            {selectWithDefault(
              'audioBitrate',
              options.defaults.audioBitrate,
              bitratesOf(options, form.audioCodec).map(sameLabel),
            )}
            {selectWithDefault('audioTracks', 'default', optionsOf(messages.audioTracks))}
          </>
        )}
      </fieldset>
      <fieldset>
        <legend>{messages.captions}</legend>
        <div class="query-explained">
          {selectWithDefault('embeddedCaptions', 'all', optionsOf(messages.embeddedCaptions))}
          {selectWithDefault(
            'generatedCaptions',
            'off',
            optionsOf(messages.generatedCaptions),
            messages.generatedCaptionsHint,
          )}
          {(!['', 'off'].includes(form.generatedCaptions) || form.generateLanguages !== '') && (
            <ListField {...field('generateLanguages')} hint={messages.generateLanguagesHint} />
          )}
        </div>
      </fieldset>
      {hasVideo && <PictureFields query={query} errors={errors} isReadOnly={isReadOnly} onQuery={onQuery} />}
      <fieldset>
        <legend>{messages.thumbnails}</legend>
        {select('preview', [notSet(messages.noPreview), ...optionsOf(messages.previewFormats)], messages.previewUse)}
        {select('images', [notSet(messages.noImages), ...imageTimes.map(imagesOption)])}
      </fieldset>
      <TemplateDeliveries
        query={query}
        errors={errors}
        maxDeliveries={options.maxDeliveries}
        isReadOnly={isReadOnly}
        onQuery={onQuery}
      />
    </div>
  );
}

/** A list of texts with commas between them. A comma that was just typed stays, although it begins no text yet. */
function ListField({ value, onValue, ...props }: Parameters<typeof TextField>[0]) {
  const [typed, setTyped] = useState(value);
  const type = (text: string): void => {
    setTyped(text);
    onValue(text);
  };
  return <TextField {...props} autocomplete="off" spellcheck={false} value={shownList(typed, value)} onValue={type} />;
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
const imagesOption = (value: string): Option => {
  const [key, amount] = value.split(' ');
  const { imageCount, imageInterval } = text.value.templates;
  return { value, label: (key === 'count' ? imageCount : imageInterval)(Number(amount)) };
};
const heightOption = (height: string): Option => ({ value: height, label: `${height}p` });

/** The choices, with the present value if it is none of them. */
const withCurrent = (choices: readonly Option[], value: string, mixedLabel: string): Option[] =>
  choices.some((choice) => choice.value === value)
    ? [...choices]
    : [...choices, { value, label: value === mixed ? mixedLabel : value === '' ? '–' : value }];

const bitratesOf = ({ audioCodecs }: TemplateOptions, codec: string): string[] =>
  (audioCodecs.find(({ value }) => value === codec) ?? audioCodecs[0])?.bitrates ?? [];

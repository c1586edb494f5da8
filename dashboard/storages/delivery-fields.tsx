import { useId } from 'preact/hooks';
import { Checkbox, SelectField, TextField } from '../components/field.tsx';
import { text } from '../messages/messages.ts';
import type { Storage } from './storage-form.ts';

/** As the API has it, with '' for the default path. */
export type DeliveryTarget = {
  /** ULID */
  storage: string;
  path: string;
  outputs: '*' | readonly string[];
  also: readonly string[];
};

export const defaultPath = '{ulid}/{output}/';

type Errors = readonly string[] | undefined;

type DeliveryFieldsProps = {
  target: DeliveryTarget;
  errors: Readonly<Record<keyof DeliveryTarget, Errors>>;
  /** undefined until they are loaded */
  storages: readonly Storage[] | undefined;
  /** which can be chosen */
  outputNames: readonly string[];
  isReadOnly?: boolean;
  onChange(changes: Partial<DeliveryTarget>): void;
};

/** To which storage the files of a video are copied, and which files. */
export function DeliveryFields({
  target,
  errors,
  storages,
  outputNames,
  isReadOnly = false,
  onChange,
}: DeliveryFieldsProps) {
  const messages = text.value.storageDeliveries;
  const { storage, path, outputs, also } = target;
  const chosen = storages?.find(({ ulid }) => ulid === storage);
  const unknown = storages ? `${messages.unknownStorage}: ${storage}` : storage;
  return (
    <>
      <SelectField
        label={messages.storage}
        hint={chosen && messages.target(`s3://${chosen.bucket}/${chosen.prefix}${path || defaultPath}`)}
        value={storage}
        onValue={(storage) => onChange({ storage })}
        disabled={isReadOnly}
        errors={errors.storage}
        options={[
          ...(chosen ? [] : [{ value: storage, label: storage === '' ? '–' : unknown }]),
          ...(storages ?? []).map(({ ulid, name, bucket }) => ({ value: ulid, label: `${name} (${bucket})` })),
        ]}
      />
      <TextField
        label={messages.path}
        hint={messages.pathHint(defaultPath)}
        isOptional
        autocomplete="off"
        spellcheck={false}
        placeholder={defaultPath}
        value={path}
        onValue={(path) => onChange({ path })}
        readOnly={isReadOnly}
        errors={errors.path}
      />
      <Choice
        title={messages.outputs}
        labels={Object.fromEntries([...outputNames, ...(outputs === '*' ? [] : outputs)].map((name) => [name, name]))}
        chosen={outputs}
        allLabel={messages.allOutputs}
        isReadOnly={isReadOnly}
        errors={errors.outputs}
        onChosen={(outputs) => onChange({ outputs })}
      />
      <Choice
        title={messages.also}
        labels={messages.extras}
        chosen={also}
        isReadOnly={isReadOnly}
        errors={errors.also}
        onChosen={(also) => also !== '*' && onChange({ also })}
      />
    </>
  );
}

type ChoiceProps = {
  title: string;
  /** By value. */
  labels: Readonly<Record<string, string>>;
  chosen: '*' | readonly string[];
  /** Of a box for everything. */
  allLabel?: string;
  isReadOnly: boolean;
  errors: Errors;
  onChosen(chosen: '*' | string[]): void;
};

function Choice({ title, labels, chosen, allLabel, isReadOnly, errors = [], onChosen }: ChoiceProps) {
  const errorsId = useId();
  const values = Object.keys(labels);
  return (
    <fieldset class="delivery-choice" {...(errors.length > 0 && { 'aria-describedby': errorsId })}>
      <legend>{title}</legend>
      {allLabel !== undefined && (
        <Checkbox
          label={allLabel}
          isChecked={chosen === '*'}
          disabled={isReadOnly}
          onChecked={(isAll) => onChosen(isAll ? '*' : values)}
        />
      )}
      {chosen !== '*' &&
        values.map((value) => (
          <Checkbox
            key={value}
            label={labels[value]!}
            isChecked={chosen.includes(value)}
            disabled={isReadOnly}
            onChecked={(isChosen) =>
              onChosen(values.filter((one) => (one === value ? isChosen : chosen.includes(one))))
            }
          />
        ))}
      {errors.length > 0 && (
        <p class="field-errors" id={errorsId}>
          {errors.join(' ')}
        </p>
      )}
    </fieldset>
  );
}

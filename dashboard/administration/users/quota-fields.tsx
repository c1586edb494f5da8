import { SelectField, TextField } from '../../components/field.tsx';
import { text } from '../../messages/messages.ts';
import { type ByteUnit, byteUnits, type CpuUnit, cpuUnits, type UserForm } from './user-form.ts';

type QuotaFieldsProps = {
  form: UserForm;
  onChange(changes: Partial<UserForm>): void;
  invalid: { bytes: boolean; cpu: boolean };
};

/** What a user may upload and encode in a month. */
export function QuotaFields({ form, onChange, invalid }: QuotaFieldsProps) {
  const messages = text.value.administration.users;
  const errorsOf = (isInvalid: boolean): string[] => (isInvalid ? [messages.notAnAmount] : []);
  return (
    <fieldset class="fieldset">
      <legend>{messages.quota}</legend>
      <p class="hint">{messages.quotaHint}</p>
      <div class="field-pair">
        <TextField
          label={messages.uploadQuota}
          inputMode="decimal"
          placeholder={messages.noLimit}
          value={form.bytes}
          onValue={(bytes) => onChange({ bytes })}
          errors={errorsOf(invalid.bytes)}
        />
        <SelectField
          label={messages.unit}
          aria-label={`${messages.unit}: ${messages.uploadQuota}`}
          value={form.byteUnit}
          onValue={(byteUnit) => onChange({ byteUnit: byteUnit as ByteUnit })}
          options={Object.keys(byteUnits).map((value) => ({ value, label: value }))}
        />
      </div>
      <div class="field-pair">
        <TextField
          label={messages.cpuQuota}
          inputMode="decimal"
          placeholder={messages.noLimit}
          value={form.cpu}
          onValue={(cpu) => onChange({ cpu })}
          errors={errorsOf(invalid.cpu)}
        />
        <SelectField
          label={messages.unit}
          aria-label={`${messages.unit}: ${messages.cpuQuota}`}
          value={form.cpuUnit}
          onValue={(cpuUnit) => onChange({ cpuUnit: cpuUnit as CpuUnit })}
          options={(Object.keys(cpuUnits) as CpuUnit[]).map((value) => ({ value, label: messages.cpuUnits[value] }))}
        />
      </div>
    </fieldset>
  );
}

import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { text } from '../messages/messages.ts';
import { Button } from './button.tsx';

type FieldProps = {
  label: string;
  hint?: string | undefined;
  /** Messages of the service about this field. */
  errors?: readonly string[] | undefined;
  isOptional?: boolean;
};

type Control = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true };

function Field({
  label,
  hint,
  errors = [],
  isOptional = false,
  children,
}: FieldProps & { children: (control: Control) => ComponentChildren }) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, errors.length > 0 && `${id}-errors`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>
        {label} {isOptional && <span class="field-optional">({text.value.common.optional})</span>}
      </label>
      {children({
        id,
        ...(described !== '' && { 'aria-describedby': described }),
        ...(errors.length > 0 && { 'aria-invalid': true }),
      })}
      {hint !== undefined && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {errors.length > 0 && (
        <p class="field-errors" id={`${id}-errors`}>
          {errors.join(' ')}
        </p>
      )}
    </div>
  );
}

/** The part of a control's attributes that a field sets itself. */
type Taken = 'id' | 'class' | 'onInput' | 'onChange' | 'value' | 'label';
type ValueProps = FieldProps & { value: string; onValue(value: string): void };

export const TextField = ({
  label,
  hint,
  errors,
  isOptional,
  value,
  onValue,
  ...input
}: ValueProps & Omit<JSX.InputHTMLAttributes<HTMLInputElement>, Taken>) => (
  <Field {...fieldProps({ label, hint, errors, isOptional })}>
    {(control) => (
      <input {...input} {...control} value={value} onInput={(event) => onValue(event.currentTarget.value)} />
    )}
  </Field>
);

/** A password, which its button shows. */
export function PasswordField({
  label,
  hint,
  errors,
  value,
  onValue,
  ...input
}: ValueProps & Omit<JSX.InputHTMLAttributes<HTMLInputElement>, Taken | 'type'>) {
  const [isShown, setIsShown] = useState(false);
  const { showPassword, hidePassword } = text.value.common;
  return (
    <Field {...fieldProps({ label, hint, errors })}>
      {(control) => (
        <div class="password-field">
          <input
            {...input}
            {...control}
            type={isShown ? 'text' : 'password'}
            value={value}
            onInput={(event) => onValue(event.currentTarget.value)}
          />
          <Button variant="quiet" onClick={() => setIsShown(!isShown)}>
            {isShown ? hidePassword : showPassword} <span class="visually-hidden">{label}</span>
          </Button>
        </div>
      )}
    </Field>
  );
}

export const TextArea = ({
  label,
  hint,
  errors,
  isOptional,
  value,
  onValue,
  ...input
}: ValueProps & Omit<JSX.TextareaHTMLAttributes<HTMLTextAreaElement>, Taken>) => (
  <Field {...fieldProps({ label, hint, errors, isOptional })}>
    {(control) => (
      <textarea {...input} {...control} value={value} onInput={(event) => onValue(event.currentTarget.value)} />
    )}
  </Field>
);

type FileFieldProps = FieldProps & { accept: string; onFile(file: File | undefined): void };

/** One file, by the file chooser of the browser. */
export const FileField = ({ label, hint, errors, isOptional, accept, onFile }: FileFieldProps) => (
  <Field {...fieldProps({ label, hint, errors, isOptional })}>
    {(control) => (
      <input {...control} type="file" accept={accept} onChange={(event) => onFile(event.currentTarget.files?.[0])} />
    )}
  </Field>
);

export type Option = { value: string; label: string };

export const SelectField = ({
  label,
  hint,
  errors,
  isOptional,
  value,
  onValue,
  options,
  ...select
}: ValueProps & { options: readonly Option[] } & Omit<JSX.SelectHTMLAttributes<HTMLSelectElement>, Taken>) => (
  <Field {...fieldProps({ label, hint, errors, isOptional })}>
    {(control) => (
      <select {...select} {...control} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    )}
  </Field>
);

type CheckboxProps = { label: string; isChecked: boolean; onChecked(isChecked: boolean): void; disabled?: boolean };

export const Checkbox = ({ label, isChecked, onChecked, disabled = false }: CheckboxProps) => (
  <label class="checkbox">
    <input
      type="checkbox"
      checked={isChecked}
      disabled={disabled}
      onChange={(event) => onChecked(event.currentTarget.checked)}
    />
    {label}
  </label>
);

/** Optional properties that are undefined are left out. */
const fieldProps = ({
  label,
  hint,
  errors,
  isOptional = false,
}: { [Key in keyof FieldProps]: FieldProps[Key] | undefined } & { label: string }): FieldProps => ({
  label,
  hint,
  errors,
  isOptional,
});

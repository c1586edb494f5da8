import { useId } from 'preact/hooks';
import { TextArea } from '../../components/field.tsx';
import { text } from '../../messages/messages.ts';

type KeyFieldProps = {
  label: string;
  hint: string;
  value: string;
  onValue(value: string): void;
  errors: readonly string[] | undefined;
};

/** A larger file is no key. */
const maxFileBytes = 64 * 1024;

/** One half of a key pair, pasted or read from a file. */
export function KeyField({ label, onValue, ...field }: KeyFieldProps) {
  const id = useId();
  const readFile = async (input: HTMLInputElement): Promise<void> => {
    const file = input.files?.[0];
    if (file) onValue(await file.slice(0, maxFileBytes).text());
    // So that the same file can be chosen again.
    input.value = '';
  };
  return (
    <div class="stack-small">
      <TextArea label={label} onValue={onValue} {...field} rows={3} spellcheck={false} autocomplete="off" />
      <div class="file-choice">
        <label for={id}>{text.value.administration.sshKeys.fromFile(label)}</label>
        <input id={id} type="file" onChange={(event) => void readFile(event.currentTarget)} />
      </div>
    </div>
  );
}

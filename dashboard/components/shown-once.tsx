import { Button } from './button.tsx';
import { CodeBox } from './code-box.tsx';
import { CopyButton } from './copy-button.tsx';

type ShownOnceProps = {
  /** Says that it must be copied now. */
  notice: string;
  label: string;
  value: string;
  copyLabel: string;
  closeLabel: string;
  onClose(): void;
};

/** A secret that the service shows once, in a dialog. */
export const ShownOnce = ({ notice, label, value, copyLabel, closeLabel, onClose }: ShownOnceProps) => (
  <div class="shown-once">
    <p class="notice" role="alert">
      {notice}
    </p>
    <CodeBox label={label} code={value} />
    <CopyButton value={value} label={copyLabel} />
    <div class="dialog-actions">
      <Button variant="primary" onClick={onClose}>
        {closeLabel}
      </Button>
    </div>
  </div>
);

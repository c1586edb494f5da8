import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useAction } from '../../api/use-action.ts';
import { text } from '../../messages/messages.ts';
import { Button } from '../button.tsx';
import { ErrorNotice } from '../error-notice.tsx';

type DialogProps = { title: string; onClose(): void; children: ComponentChildren };

/** A modal dialog that is open while it is rendered. The browser returns the focus to its opener. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current!;
    element.showModal();
    return () => element.close();
  }, []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={titleId} onClose={onClose}>
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  );
}

type ConfirmProps = {
  title: string;
  /** What will happen, and to which object. */
  children: ComponentChildren;
  confirmLabel: string;
  isDangerous?: boolean;
  /** The dialog closes when it succeeds, and shows its error otherwise. */
  onConfirm(): Promise<unknown>;
  onClose(): void;
};

export function ConfirmDialog({
  title,
  children,
  confirmLabel,
  isDangerous = false,
  onConfirm,
  onClose,
}: ConfirmProps) {
  const confirm = useAction(onConfirm);
  return (
    <Dialog title={title} onClose={onClose}>
      <div>{children}</div>
      <ErrorNotice error={confirm.error} />
      <div class="dialog-actions">
        <Button onClick={onClose}>{text.value.common.cancel}</Button>
        <Button
          variant={isDangerous ? 'danger' : 'primary'}
          isBusy={confirm.isRunning}
          onClick={async () => (await confirm.run()) && onClose()}
        >
          {confirmLabel}
        </Button>
      </div>
    </Dialog>
  );
}

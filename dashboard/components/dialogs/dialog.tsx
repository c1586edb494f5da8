import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useAction } from '../../api/use-action.ts';
import { text } from '../../messages/messages.ts';
import { Button } from '../button.tsx';
import { ErrorNotice } from '../error-notice.tsx';

type DialogProps = { title: string; onClose(): void; children: ComponentChildren };

/** A modal dialog that is open while it is rendered. The browser returns the focus to its opener. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const isRendered = useRef(true);
  useEffect(() => {
    const element = dialog.current!;
    element.showModal();
    return () => {
      isRendered.current = false;
      element.close();
    };
  }, []);
  // The event of the closed element comes later: it would close a dialog that is rendered in place of this one.
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={titleId}
      onClose={() => {
        if (isRendered.current) onClose();
      }}
    >
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
  /** The API call that does the same, below the buttons. */
  apiCall?: ComponentChildren;
  /** The dialog closes when it succeeds, and shows its error otherwise. */
  onConfirm(): Promise<unknown>;
  onClose(): void;
};

/**
 * Asks before something is done. The focus is on Cancel. After what may have removed the opener, it moves to the
 * heading of the section that the opener was in.
 */
export function ConfirmDialog({
  title,
  children,
  confirmLabel,
  isDangerous = false,
  apiCall,
  onConfirm,
  onClose,
}: ConfirmProps) {
  const confirm = useAction(onConfirm);
  const focusHeading = useHeadingOfOpener();
  const run = async (): Promise<void> => {
    if (!(await confirm.run())) return;
    onClose();
    if (isDangerous) focusHeading();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack">{children}</div>
      <ErrorNotice error={confirm.error} />
      <div class="dialog-actions">
        <Button autofocus onClick={onClose}>
          {text.value.common.cancel}
        </Button>
        <Button variant={isDangerous ? 'danger' : 'primary'} isBusy={confirm.isRunning} onClick={run}>
          {confirmLabel}
        </Button>
      </div>
      {apiCall}
    </Dialog>
  );
}

/** Focuses the heading of the section that had the focus at first, when the closed dialog has returned the focus. */
function useHeadingOfOpener(): () => void {
  const [section] = useState(() => document.activeElement?.closest('section:has(h2)'));
  return () => {
    setTimeout(() => {
      const heading = section?.isConnected ? section.querySelector<HTMLElement>('h2') : null;
      const target = heading ?? document.querySelector<HTMLElement>('h1');
      if (!target) return;
      target.tabIndex = -1;
      target.focus({ preventScroll: true });
    });
  };
}

import type { ComponentChildren } from 'preact';
import { text } from '../../messages/messages.ts';
import { announce } from '../announcer.tsx';
import { ApiCall } from '../api-call.tsx';
import type { ApiCallDescription } from '../call-samples.ts';
import { ConfirmDialog } from './dialog.tsx';

type DeleteDialogProps = {
  title: string;
  /** What will happen. */
  children: ComponentChildren;
  /** The call that deletes, as it is shown. */
  call: Omit<ApiCallDescription, 'method'>;
  onDelete(): Promise<unknown>;
  /** What a screen reader says afterwards. */
  announcement?: string | undefined;
  confirmLabel?: string;
  onClose(): void;
};

/** Asks before something is deleted, shows the API call that does the same, and announces that it is done. */
export function DeleteDialog({
  title,
  children,
  call,
  onDelete,
  announcement,
  confirmLabel = text.value.common.delete,
  onClose,
}: DeleteDialogProps) {
  const remove = async (): Promise<void> => {
    await onDelete();
    if (announcement !== undefined) announce(announcement);
  };
  return (
    <ConfirmDialog
      title={title}
      confirmLabel={confirmLabel}
      isDangerous
      apiCall={<ApiCall method="DELETE" {...call} />}
      onConfirm={remove}
      onClose={onClose}
    >
      {children}
    </ConfirmDialog>
  );
}

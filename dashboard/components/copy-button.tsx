import { useState } from 'preact/hooks';
import { text } from '../messages/messages.ts';
import { announce } from './announcer.tsx';
import { Button } from './button.tsx';

type CopyButtonProps = {
  value: string;
  label?: string;
  /** What is copied, where the label does not say it. */
  name?: string;
};

const shownMilliseconds = 2_000;

export function CopyButton({ value, label, name }: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false);
  const { common } = text.value;
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value);
      announce(common.copied);
      setIsCopied(true);
      setTimeout(() => setIsCopied(false), shownMilliseconds);
    } catch {
      announce(common.copyFailed);
    }
  };
  return (
    <Button onClick={copy} {...(name !== undefined && { 'aria-label': name })}>
      {isCopied ? common.copied : (label ?? common.copy)}
    </Button>
  );
}

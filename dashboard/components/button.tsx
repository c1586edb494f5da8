import type { JSX } from 'preact';

type ButtonProps = Omit<JSX.ButtonHTMLAttributes<HTMLButtonElement>, 'class'> & {
  variant?: 'primary' | 'secondary' | 'danger' | 'quiet';
  /** The action of the button runs: it shows this and cannot be pressed again. */
  isBusy?: boolean;
};

export const Button = ({ variant = 'secondary', isBusy = false, type = 'button', disabled, ...rest }: ButtonProps) => (
  // `aria-disabled` keeps the focus on a busy button.
  <button
    {...rest}
    type={type}
    class={`button button-${variant}`}
    disabled={disabled ?? false}
    aria-busy={isBusy}
    {...(isBusy && { 'aria-disabled': true, onClick: (event: Event) => event.preventDefault() })}
  />
);

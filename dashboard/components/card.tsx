import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

type CardProps = { title: string; actions?: ComponentChildren; children: ComponentChildren };

/** A part of a page with a heading. */
export function Card({ title, actions, children }: CardProps) {
  const titleId = useId();
  return (
    <section class="card" aria-labelledby={titleId}>
      <div class="card-head">
        <h2 id={titleId}>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

import type { ComponentChildren } from 'preact';

type EmptyStateProps = { title: string; children?: ComponentChildren };

/** What a list shows when it has no rows: why, and what to do. */
export const EmptyState = ({ title, children }: EmptyStateProps) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children}
  </div>
);

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { text } from '../messages/messages.ts';

type PageTitleProps = { title: string; children?: ComponentChildren };

let isFirstPage = true;

/** The heading of a page with its actions. It takes the focus after a navigation, and names the document. */
export function PageTitle({ title, children }: PageTitleProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${text.value.app.name}`;
  }, [title]);
  useEffect(() => {
    if (!isFirstPage) heading.current?.focus({ preventScroll: true });
    isFirstPage = false;
  }, []);
  return (
    <div class="page-title">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children !== undefined && <div class="page-actions">{children}</div>}
    </div>
  );
}

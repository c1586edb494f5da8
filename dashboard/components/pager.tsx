import { text } from '../messages/messages.ts';
import { Button } from './button.tsx';

type PagerProps = { page: number; lastPage: number; onPage(page: number): void };

/** Nothing for a single page. */
export function Pager({ page, lastPage, onPage }: PagerProps) {
  const { common } = text.value;
  if (lastPage <= 1) return null;
  return (
    <nav class="pager" aria-label={common.pages}>
      <Button disabled={page <= 1} onClick={() => onPage(page - 1)}>
        {common.previous}
      </Button>
      <span aria-live="polite">{common.page(page, lastPage)}</span>
      <Button disabled={page >= lastPage} onClick={() => onPage(page + 1)}>
        {common.next}
      </Button>
    </nav>
  );
}

import { useEffect } from 'preact/hooks';
import { preventReload } from './new-version.ts';

/** While a form has changes, the page does not reload itself, and the browser asks before it leaves the page. */
export function useUnsaved(hasChanges: boolean): void {
  useEffect(() => {
    if (!hasChanges) return;
    const allowReload = preventReload();
    const onLeave = (event: Event): void => event.preventDefault();
    addEventListener('beforeunload', onLeave);
    return () => {
      allowReload();
      removeEventListener('beforeunload', onLeave);
    };
  }, [hasChanges]);
}

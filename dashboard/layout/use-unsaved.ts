import { useEffect } from 'preact/hooks';
import { text } from '../messages/messages.ts';
import { preventReload } from './new-version.ts';

/** A going back or forward, of browsers that tell of it before. */
type NavigateEvent = Event & { navigationType: string };

/**
 * While a form has changes, the page does not reload itself, and the user is asked before they are lost: by the browser
 * when it leaves the page, by this page when a link or the back button leads to another screen.
 */
export function useUnsaved(hasChanges: boolean): void {
  useEffect(() => {
    if (!hasChanges) return;
    const allowReload = preventReload();
    const onLeave = (event: Event): void => event.preventDefault();
    const stops = (event: Event): boolean => {
      const stays = !confirm(text.value.common.leaveUnsaved);
      if (stays) event.preventDefault();
      else removeEventListener('beforeunload', onLeave);
      return stays;
    };
    const onClick = (event: MouseEvent): void => {
      if (leadsAway(event) && stops(event)) event.stopImmediatePropagation();
    };
    const onNavigate = (event: Event): void => {
      if (event.cancelable && (event as NavigateEvent).navigationType === 'traverse') stops(event);
    };
    const { navigation } = globalThis as { navigation?: EventTarget };
    addEventListener('beforeunload', onLeave);
    // Before the router.
    addEventListener('click', onClick, true);
    navigation?.addEventListener('navigate', onNavigate);
    return () => {
      allowReload();
      removeEventListener('beforeunload', onLeave);
      removeEventListener('click', onClick, true);
      navigation?.removeEventListener('navigate', onNavigate);
    };
  }, [hasChanges]);
}

/** Whether a click opens another page of the service in this tab. */
function leadsAway(event: MouseEvent): boolean {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return false;
  const isOther = link.pathname !== location.pathname || link.search !== location.search;
  return link.origin === location.origin && isOther && ['', '_self'].includes(link.target) && !link.download;
}

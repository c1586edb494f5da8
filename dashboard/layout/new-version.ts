import { signal } from '@preact/signals';
import { type App, app, ownBuild } from '../api/app.ts';

const checkMilliseconds = 60_000;
/** Of the cause of the last reload, in this tab. */
const storageKey = 'reloaded-for';

/** A new version is deployed, and this tab must not reload itself because the user would lose something. */
export const hasNewVersion = signal(false);

let unsavedCount = 0;

/** Prevents a reload until the returned function is called: an upload runs, or a form has changes. */
export function preventReload(): () => void {
  unsavedCount += 1;
  let isOver = false;
  return () => {
    if (!isOver) unsavedCount -= 1;
    isOver = true;
  };
}

/** Reloads the page after a deployment, since the files of the version before may be gone. */
export function watchVersion(): void {
  const build = ownBuild();
  let isChecking = false;
  const compare = (deployed: string | null): void => {
    if (deployed === build) sessionStorage.removeItem(storageKey);
    else reloadFor(deployed);
  };
  const check = async (): Promise<void> => {
    if (document.hidden || isChecking) return;
    isChecking = true;
    const response = await fetch('/app.json', { cache: 'no-cache' }).catch(() => undefined);
    const deployed = response?.ok ? ((await response.json()) as App).build : build;
    isChecking = false;
    compare(deployed);
  };
  // The page may have been loaded just before a deployment, and `/app.json` just after it.
  compare(app().build);
  setInterval(check, checkMilliseconds);
  document.addEventListener('visibilitychange', check);
}

/** For a file of this version that does not exist any more. */
export const reload = (): void => reloadFor('a missing file');

/** Once per cause: while a deployment runs, the page that is loaded again can still be the old one. */
function reloadFor(cause: string | null): void {
  if (unsavedCount > 0 || cause === null || sessionStorage.getItem(storageKey) === cause) {
    hasNewVersion.value = true;
    return;
  }
  sessionStorage.setItem(storageKey, cause);
  location.reload();
}

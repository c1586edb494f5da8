/** What the service publishes about this app. */
export type App = {
  /** id of the deployed build */
  build: string;
  /** Everyone may create an account. */
  registration: boolean;
  /** The list of videos can be searched for words of captions. */
  transcriptSearch: boolean;
};

let loaded: App | undefined;

/** The build that this page is of; the service may have another one by now. */
export const ownBuild = (): string | null =>
  document.querySelector<HTMLMetaElement>('meta[name=build]')?.content ?? null;

/** Loads the description of the app. It must succeed before `app` is called. */
export async function loadApp(): Promise<void> {
  const response = await fetch('/app.json');
  if (!response.ok) throw new TypeError(`/app.json answered ${response.status}`);
  loaded = (await response.json()) as App;
}

export function app(): App {
  if (loaded === undefined) throw new Error('the description of the app is not loaded');
  return loaded;
}

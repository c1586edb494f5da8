import { useResource } from '../api/use-resource.ts';
import { loadSources } from './load-sources.ts';
import { type Frame, framesOf, spreadOf } from './storyboard.ts';

async function loadFrames(ulid: string): Promise<{ data: Frame[]; response: Response }> {
  const { data, response } = await loadSources(ulid);
  const url = data?.storyboard_url ?? null;
  if (url === null) return { data: [], response };
  const storyboard = await fetch(url);
  // The links of a video that became public a moment ago do not work everywhere at once: they are loaded again.
  if (!storyboard.ok) throw new Error(`The storyboard answers ${storyboard.status}`);
  return { data: framesOf(await storyboard.text(), url), response: storyboard };
}

/** At most so many frames of the storyboard of a video. None before they are loaded, and without a storyboard. */
export function useFrames(ulid: string, maxFrames: number): Frame[] {
  const { data = [] } = useResource(() => loadFrames(ulid), { key: `frames ${ulid}`, pollSeconds: () => undefined });
  return spreadOf(data, maxFrames);
}

import { readEnvironment } from '../../shared/environment.ts';
import { readRecentProxies } from '../table/nodes/node-lists.ts';
import type { ProxyNode } from '../table/nodes/proxy-cache.ts';
import { chooseProxy } from './choose-proxy.ts';

/**
 * Finds the origin of a video's URLs: that of an active proxy, or of the edge while no proxy is active. Its result is
 * undefined where the stage has neither. The proxies are read once, for all videos of a list. With `ignoresLoad`, a
 * video has the same proxy until one is added or removed.
 */
export async function readViewerOrigins({
  ignoresLoad = false,
} = {}): Promise<(videoUlid: string) => string | undefined> {
  const edgeUrl = readEnvironment('EDGE_URL');
  const proxies = readEnvironment('USE_PROXIES') ? await readRecentProxies() : [];
  const candidates = ignoresLoad ? proxies.map((proxy) => ({ ...proxy, connections: 0 })) : proxies;
  return (videoUlid) => {
    const proxy = chooseProxy(candidates, videoUlid);
    return proxy ? originOf(proxy) : edgeUrl;
  };
}

const originOf = ({ scheme, hostname }: ProxyNode): string => `${scheme}://${hostname}`;

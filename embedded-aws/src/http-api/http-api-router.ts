import type { RouteDefinition } from '../template/read-routes.ts';

export type MatchedRoute = { route: RouteDefinition; pathParameters: Record<string, string> | undefined };

/**
 * Finds the route of a request as an HTTP API does. The most specific route wins: literal before variable before greedy
 * variable, a method before ANY, and `$default` last. `path` is decoded.
 */
export function createRouter(routes: RouteDefinition[]): (method: string, path: string) => MatchedRoute | undefined {
  const candidates = routes.map(candidate).sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return (method, path) => {
    for (const { route, method: routeMethod, pattern, names } of candidates) {
      if (routeMethod !== 'ANY' && routeMethod !== method) continue;
      const match = pattern.exec(path);
      if (!match) continue;
      const values = names.map((name, index) => [name, match[index + 1]!] as const);
      return { route, pathParameters: values.length > 0 ? Object.fromEntries(values) : undefined };
    }
    return undefined;
  };
}

function candidate(route: RouteDefinition) {
  const { routeKey } = route;
  if (routeKey === '$default') return { route, method: 'ANY', pattern: /^/, names: [], rank: '9' };
  const [method, path] = routeKey.split(' ') as [string, string];
  const parts = path.split('/').slice(1);
  const names = parts.flatMap((part) => /^\{(.+?)\+?\}$/.exec(part)?.[1] ?? []);
  const pattern = parts.map((part) =>
    part.endsWith('+}') ? '(.+)' : part.startsWith('{') ? '([^/]+)' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  );
  const rank = parts.map((part) => (part.endsWith('+}') ? 3 : part.startsWith('{') ? 2 : 1)).join('');
  // 4 is greater than the ranks of the parts, so a path comes after longer paths with the same start.
  return {
    route,
    method,
    // A decoded path may have line breaks.
    pattern: new RegExp(`^/${pattern.join('/')}$`, 's'),
    names,
    rank: `${rank}4${method === 'ANY' ? 2 : 1}`,
  };
}

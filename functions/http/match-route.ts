import { MethodNotAllowed, NoSuchRoute } from '../common/errors.ts';
import type { Route } from './call.ts';

export type Match = { route: Route; pathParams: Record<string, string> };

/**
 * The route of a request. HEAD matches GET, a trailing slash is ignored, and a path with fewer parameters takes
 * precedence. The gateway has decoded the path. Undefined for OPTIONS on a path that exists.
 * @throws NoSuchRoute, MethodNotAllowed
 */
export function matchRoute(routes: readonly Route[], method: string, rawPath: string): Match | undefined {
  const path = rawPath.length > 1 ? rawPath.replace(/\/$/, '') : rawPath;
  const candidates = routes
    .flatMap((route) => {
      const pathParams = matchPath(route.declaration.path, path);
      return pathParams ? [{ route, pathParams }] : [];
    })
    .sort((a, b) => Object.keys(a.pathParams).length - Object.keys(b.pathParams).length);
  const template = candidates[0]?.route.declaration.path;
  if (template === undefined) throw new NoSuchRoute();
  if (method === 'OPTIONS') return undefined;
  const methods = candidates.filter(({ route }) => route.declaration.path === template);
  const routeMethod = method === 'HEAD' ? 'GET' : method;
  const match = methods.find(({ route }) => route.declaration.method === routeMethod);
  if (!match)
    throw new MethodNotAllowed(method, path, allowedMethods(methods.map(({ route }) => route.declaration.method)));
  return match;
}

const allowedMethods = (methods: string[]): string[] =>
  methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));

function matchPath(template: string, path: string): Record<string, string> | undefined {
  const names = template.split('/');
  const parts = path.split('/');
  if (names.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const part = parts[index]!;
    if (!name.startsWith('{')) {
      if (name !== part) return undefined;
      continue;
    }
    if (part === '') return undefined;
    params[name.slice(1, -1)] = part;
  }
  return params;
}

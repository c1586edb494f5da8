import { wildcard } from '../iam/wildcards.ts';
import type { BehaviourDefinition } from '../template/distributions/read-distributions.ts';

/**
 * Finds the behaviour of a path: the first one whose pattern matches. Patterns are case-sensitive, and a slash at their
 * start may be missing.
 */
export function createBehaviourMatcher<Behaviour extends Pick<BehaviourDefinition, 'pathPattern'>>(
  behaviours: readonly Behaviour[],
): (path: string) => Behaviour {
  const compiled = behaviours.map((behaviour) => {
    const { pathPattern: pattern } = behaviour;
    const matches = wildcard(pattern === '*' || pattern.startsWith('/') ? pattern : `/${pattern}`);
    return { behaviour, matches };
  });
  return (path) => {
    const found = compiled.find(({ matches }) => matches(path));
    if (!found) throw new Error('A distribution without a default behaviour.');
    return found.behaviour;
  };
}

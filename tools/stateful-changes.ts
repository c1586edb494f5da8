import { z } from 'zod';
import { statefulTypes } from './stateful-types.ts';

/** The output of `aws cloudformation describe-change-set`. */
const changeSet = z.object({
  Changes: z.array(
    z.object({
      ResourceChange: z.object({
        Action: z.enum(['Add', 'Modify', 'Remove', 'Import', 'Dynamic', 'SyncWithActual']),
        LogicalResourceId: z.string(),
        ResourceType: z.string(),
        Replacement: z.enum(['True', 'False', 'Conditional']).optional(),
      }),
    }),
  ),
  NextToken: z.string().optional(),
});

/**
 * The changes of a change set that remove or may replace a resource that holds data, one sentence each.
 * @throws when the output is not of a whole change set
 */
export function statefulChanges(described: unknown): string[] {
  const { Changes, NextToken } = changeSet.parse(described);
  if (NextToken !== undefined) throw new Error('The change set is not complete: describe it without --no-paginate.');
  return Changes.flatMap(({ ResourceChange: { Action, LogicalResourceId, ResourceType, Replacement } }) => {
    if (!(ResourceType in statefulTypes)) return [];
    const resource = `${LogicalResourceId} (${ResourceType})`;
    if (Action === 'Remove') return [`${resource} is removed.`];
    if (Action !== 'Modify' || Replacement === undefined || Replacement === 'False') return [];
    return [`${resource} ${Replacement === 'True' ? 'is' : 'may be'} replaced by an empty one.`];
  });
}

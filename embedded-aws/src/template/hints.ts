import { z } from 'zod';

/**
 * What a template tells the embedded AWS in the `Metadata` of its resources, which CloudFormation ignores. README.md
 * describes them for those who write templates.
 */

/** Of an `AWS::Lambda::Function`. */
export const functionHints = z.object({
  /**
   * A role whose credentials the function hands to servers that it registers. On AWS the agent on a managed node
   * obtains them; here they are in the function's environment.
   */
  'embedded-aws:managed-node-role': z.string().optional(),
  /** Running tasks are notified after each invocation, so that they look for work without waiting. */
  'embedded-aws:wakes-tasks': z.boolean().default(false),
});

/** Of an `AWS::ECS::TaskDefinition`. */
export const taskHints = z.object({
  /** The file of the cloud assembly that runs instead of the container image. */
  'embedded-aws:container-entry': z.string(),
});

/** The names of all hints, by the type of the resources that may have them. */
export const templateHints: Readonly<Record<string, readonly string[]>> = {
  'AWS::Lambda::Function': Object.keys(functionHints.shape),
  'AWS::ECS::TaskDefinition': Object.keys(taskHints.shape),
};

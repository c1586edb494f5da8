import type { PipelineFunction } from './pipeline-functions.ts';
import { functionRetries, jobRetries } from './retries.ts';

/** A state in the Amazon States Language. */
export type State = { Type: string; Comment: string; [field: string]: unknown };
export type States = Record<string, State>;

export type DefinitionInput = {
  /** AWS partition, such as `aws` */
  partition: string;
  arns: Record<PipelineFunction, string>;
  jobTimeoutSeconds: number;
  executionTimeoutSeconds: number;
  maxChunksAtOnce: number;
};

export type Tasks = ReturnType<typeof tasks>;

/**
 * Builders for the two kinds of task state, with their retries. A worker job is a call of `enqueue` that completes when
 * the service sends the result for its task token.
 */
export function tasks({ partition, arns, jobTimeoutSeconds }: DefinitionInput) {
  return {
    callFunction: (name: PipelineFunction, comment: string, payload: Record<string, unknown>) => ({
      Type: 'Task',
      Comment: comment,
      Resource: `arn:${partition}:states:::lambda:invoke`,
      Arguments: { FunctionName: arns[name], Payload: payload },
      Retry: functionRetries,
    }),
    runJob: (comment: string, payload: Record<string, unknown>) => ({
      Type: 'Task',
      Comment: comment,
      Resource: `arn:${partition}:states:::lambda:invoke.waitForTaskToken`,
      Arguments: {
        FunctionName: arns.enqueue,
        Payload: { taskToken: '{% $states.context.Task.Token %}', ...payload },
      },
      TimeoutSeconds: jobTimeoutSeconds,
      Output: {} as unknown,
      Retry: jobRetries,
    }),
  };
}

export const choice = (comment: string, condition: string, yes: string, no: string): State => ({
  Type: 'Choice',
  Comment: comment,
  Choices: [{ Condition: condition, Next: yes }],
  Default: no,
});

export const succeed = (comment: string): State => ({ Type: 'Succeed', Comment: comment, Output: {} });

/** Catches every error and passes it to the next state together with the input of the failed state. */
export const catchAll = (next: string) => [
  {
    ErrorEquals: ['States.ALL'],
    Output: "{% $merge([$states.input, { 'error': $states.errorOutput }]) %}",
    Next: next,
  },
];

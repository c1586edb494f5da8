/** The functions that the states of the state machine call. */
export const pipelineFunctions = [
  'create-video',
  'enqueue',
  'plan',
  'decide-quality',
  'start-packaging',
  'package-output',
  'publish',
  'add-captions',
  'fail-streams',
  'fail-output',
  'fail',
] as const;
export type PipelineFunction = (typeof pipelineFunctions)[number];

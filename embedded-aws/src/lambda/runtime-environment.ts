import type { FunctionDefinition } from '../template/read-functions.ts';

/** The variables of Lambda's runtime that handlers and their libraries read. */
export const runtimeEnvironment = ({
  name,
  memoryMiB,
  codeFolder,
  handler,
  module,
}: FunctionDefinition): Record<string, string> => ({
  AWS_LAMBDA_FUNCTION_NAME: name,
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMiB),
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  LAMBDA_TASK_ROOT: codeFolder,
  _HANDLER: `${module}.${handler}`,
});

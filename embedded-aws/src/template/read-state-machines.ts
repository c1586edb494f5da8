import { z } from 'zod';
import type { DeployedTemplate } from './deployed-template.ts';

const stateMachineProperties = z.object({ DefinitionString: z.string(), RoleArn: z.string() });

export function readStateMachines(template: DeployedTemplate) {
  return template.resources('AWS::StepFunctions::StateMachine').map(({ arn, properties }) => {
    const { DefinitionString, RoleArn } = stateMachineProperties.parse(properties);
    return { arn, name: arn.split(':').at(-1)!, definition: DefinitionString, roleArn: RoleArn };
  });
}

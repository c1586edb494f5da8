import { z } from 'zod';
import type { ControlService } from '../control/control-service.ts';
import { answerJson, parseJsonObject, ServiceError } from '../control/json-protocol.ts';
import { authorize } from '../iam/authorize.ts';
import type { RuleDefinition } from '../template/read-rules.ts';
import type { RuleStates } from './rule-states.ts';

const named = z.object({ Name: z.string() });
const listed = z.object({ NamePrefix: z.string().default('') });

export const eventsTarget = 'AWSEvents';
const maxBodyBytes = 64 * 1024;

/** The operations of EventBridge for operators: list, describe, enable and disable rules. */
export function eventsService(rules: readonly RuleDefinition[], states: RuleStates): ControlService {
  const requireRule = (input: object): RuleDefinition => {
    const { Name } = named.parse(input);
    const rule = rules.find(({ name }) => name === Name);
    if (!rule) throw new ServiceError('ResourceNotFoundException', `Rule ${Name} does not exist on EventBus default.`);
    return rule;
  };
  const setEnabled = async (input: object, enabled: boolean): Promise<object> => {
    await states.setEnabled(requireRule(input).name, enabled);
    return {};
  };
  const describe = ({ name, arn, pattern, schedule }: RuleDefinition) => ({
    Name: name,
    Arn: arn,
    State: states.isEnabled(name) ? 'ENABLED' : 'DISABLED',
    EventBusName: 'default',
    ...(pattern && { EventPattern: JSON.stringify(pattern) }),
    ...(schedule !== undefined && { ScheduleExpression: schedule }),
  });
  const operations: Record<string, (input: object) => object | Promise<object>> = {
    ListRules: (input) => {
      const { NamePrefix } = listed.parse(input);
      return { Rules: rules.filter(({ name }) => name.startsWith(NamePrefix)).map(describe) };
    },
    DescribeRule: (input) => describe(requireRule(input)),
    EnableRule: (input) => setEnabled(input, true),
    DisableRule: (input) => setEnabled(input, false),
  };

  return {
    signingName: 'events',
    protocol: 'json-1.1',
    maxBodyBytes,
    handle: (request, response, body, caller) =>
      answerJson(response, 'application/x-amz-json-1.1', async () => {
        const [, name = ''] = String(request.headers['x-amz-target']).split('.');
        const operation = Object.hasOwn(operations, name) && operations[name];
        if (!operation) throw new ServiceError('UnknownOperationException', `${name} is not supported.`);
        const input = parseJsonObject(body);
        authorize(caller, `events:${name}`, 'Name' in input ? requireRule(input).arn : '*');
        return operation(input);
      }),
  };
}

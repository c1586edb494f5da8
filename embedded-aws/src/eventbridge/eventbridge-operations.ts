import { z } from 'zod';
import type { ControlService } from '../control/control-service.ts';
import { parseJsonObject, respondJson, ServiceError } from '../control/json-protocol.ts';
import { authorize } from '../iam/authorize.ts';
import { busNameIn, defaultBus } from '../template/event-bus-name.ts';
import type { RuleDefinition } from '../template/read-rules.ts';
import { type PutEventsOptions, putEvents } from './put-events.ts';
import type { RuleStates } from './rule-states.ts';

const bus = z.string().default(defaultBus).transform(busNameIn);
const named = z.object({ Name: z.string(), EventBusName: bus });
const listed = z.object({ NamePrefix: z.string().default(''), EventBusName: bus });

export const eventsTarget = 'AWSEvents';
/** 1 MiB of events in which every character may be escaped. */
const maxBodyBytes = 7 * 1024 * 1024;

export type EventsServiceOptions = PutEventsOptions & { rules: readonly RuleDefinition[]; states: RuleStates };

/** Events of clients, and operations for operators: list, describe, enable and disable rules. */
export function eventsService(options: EventsServiceOptions): ControlService {
  const { rules, states } = options;
  const requireRule = (input: object): RuleDefinition => {
    const { Name, EventBusName } = named.parse(input);
    const rule = rules.find((one) => nameOf(one) === Name && one.busName === EventBusName);
    if (!rule) {
      const message = `Rule ${Name} does not exist on EventBus ${EventBusName}.`;
      throw new ServiceError('ResourceNotFoundException', message);
    }
    return rule;
  };
  const setEnabled = async (input: object, enabled: boolean): Promise<object> => {
    await states.setEnabled(requireRule(input).name, enabled);
    return {};
  };
  const describe = (rule: RuleDefinition) => ({
    Name: nameOf(rule),
    Arn: rule.arn,
    State: states.isEnabled(rule.name) ? 'ENABLED' : 'DISABLED',
    EventBusName: rule.busName,
    ...(rule.pattern && { EventPattern: JSON.stringify(rule.pattern) }),
    ...(rule.schedule !== undefined && { ScheduleExpression: rule.schedule }),
  });
  const operations: Record<string, (input: object) => object | Promise<object>> = {
    ListRules: (input) => {
      const { NamePrefix, EventBusName } = listed.parse(input);
      const listedRules = rules.filter((one) => one.busName === EventBusName && nameOf(one).startsWith(NamePrefix));
      return { Rules: listedRules.map(describe) };
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
      respondJson(response, 'application/x-amz-json-1.1', async () => {
        const [, name = ''] = String(request.headers['x-amz-target']).split('.');
        if (name === 'PutEvents') return putEvents(options, parseJsonObject(body), caller);
        const operation = Object.hasOwn(operations, name) && operations[name];
        if (!operation) throw new ServiceError('UnknownOperationException', `${name} is not supported.`);
        const input = parseJsonObject(body);
        authorize(caller, `events:${name}`, 'Name' in input ? requireRule(input).arn : '*');
        return operation(input);
      }),
  };
}

/** Without the bus, which precedes the name of a rule that is not on the default bus. */
const nameOf = ({ name }: RuleDefinition): string => name.split('|').at(-1)!;

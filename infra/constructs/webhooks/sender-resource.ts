import type { Construct } from 'constructs';
import type { Settings } from '../../settings.ts';
import { type Resource, startedFunction } from '../function.ts';

/** The function that sends requests to webhooks, for the functions that start it. */
export const senderResource = (scope: Construct, settings: Settings): Resource<'start'> =>
  startedFunction(scope, settings, { name: 'send', variable: 'SEND_FUNCTION' });

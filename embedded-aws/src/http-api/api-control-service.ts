import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import type { ControlService } from '../control/control-service.ts';
import { authorize } from '../iam/authorize.ts';
import { limitsOf, type StageThrottle, type ThrottleSettings } from '../template/read-throttle.ts';

// https://docs.aws.amazon.com/apigatewayv2/latest/api-reference/apis-apiid-stages-stagename.html

export type ControlledApi = {
  id: string;
  name: string;
  stageName: string;
  endpoint: string;
  region: string;
  routeKeys: ReadonlySet<string>;
  /** Is changed. */
  throttle: StageThrottle;
};

const settings = z.strictObject({
  detailedMetricsEnabled: z.boolean().optional(),
  throttlingRateLimit: z.number().min(0).optional(),
  throttlingBurstLimit: z.number().min(0).optional(),
});
const stageInput = z.strictObject({
  defaultRouteSettings: settings.optional(),
  routeSettings: z.record(z.string(), settings).default({}),
});

/** GetApis and UpdateStage, by which an operator throttles the API. Changes last until the next start. */
export const apiControlService = (api: ControlledApi): ControlService => ({
  signingName: 'apigateway',
  protocol: 'rest-json',
  maxBodyBytes: 64 * 1024,
  async handle({ method, url = '' }, response, body, caller) {
    const path = decodeURIComponent(url.split('?')[0]!).slice('/v2'.length);
    const arn = `arn:aws:apigateway:${api.region}::${path}`;
    if (method === 'GET' && path === '/apis') {
      authorize(caller, 'apigateway:GET', arn);
      const { id: apiId, name, endpoint: apiEndpoint } = api;
      return respond(response, 200, { items: [{ apiId, name, apiEndpoint, protocolType: 'HTTP' }] });
    }
    if (method !== 'PATCH' || path !== `/apis/${api.id}/stages/${api.stageName}`) {
      return refuse(response, 404, 'NotFoundException', `Invalid identifier, or an operation that is not supported`);
    }
    authorize(caller, 'apigateway:PATCH', arn);
    const input = stageInput.safeParse(parseJson(body));
    if (!input.success) return refuse(response, 400, 'BadRequestException', z.prettifyError(input.error));
    const { defaultRouteSettings, routeSettings } = input.data;
    const unknown = Object.keys(routeSettings).find((key) => !api.routeKeys.has(key));
    if (unknown !== undefined) {
      const message = `Unable to find Route by key ${unknown} within the provided RouteSettings`;
      return refuse(response, 404, 'NotFoundException', message);
    }
    const { throttle } = api;
    if (defaultRouteSettings) throttle.defaultRoute = limits(defaultRouteSettings);
    for (const [key, given] of Object.entries(routeSettings)) throttle.routes.set(key, limits(given));
    return respond(response, 200, { stageName: api.stageName, ...input.data });
  },
});

const limits = ({ throttlingRateLimit, throttlingBurstLimit }: z.output<typeof settings>): ThrottleSettings =>
  limitsOf({ ThrottlingRateLimit: throttlingRateLimit, ThrottlingBurstLimit: throttlingBurstLimit });

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

const refuse = (response: ServerResponse, status: number, type: string, message: string): void =>
  void response
    .writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type })
    .end(JSON.stringify({ message }));

const respond = (response: ServerResponse, status: number, content: object): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));

import { CfnOutput, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import * as gateway from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { logRemoval } from './log-removal.ts';

type RequestLimits = Pick<Settings, 'requestsPerSecond' | 'requestBurst'>;

/** One JSON line per request. It has the route and not the path, because a path may contain secrets of a client. */
const accessLog = {
  requestId: '$context.requestId',
  routeKey: '$context.routeKey',
  status: '$context.status',
  sourceIp: '$context.identity.sourceIp',
  responseBytes: '$context.responseLength',
  latencyMs: '$context.responseLatency',
  error: '$context.integrationErrorMessage',
};

/**
 * The HTTP API. Functions authenticate and answer CORS preflights, because the gateway supports neither "bearer or
 * cookie" nor our error format. ANY routes pass OPTIONS and unknown methods to the functions.
 *
 * The CORS configuration of the gateway is not used. It replaces the CORS headers of the functions, does not support
 * origins with any port, and adds no headers to the gateway's own responses (throttling, timeouts). A browser
 * therefore sees a 429 or 503 of the gateway as a network error, which clients retry.
 */
export class Api extends Construct {
  readonly api: gateway.HttpApi;
  /** without a trailing slash */
  readonly url: string;
  readonly #stage: gateway.HttpStage;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.api = new gateway.HttpApi(this, 'HttpApi', {
      apiName: `video-service-${settings.stage}`,
      createDefaultStage: false,
      // The address of the API is the custom domain only, if there is one.
      disableExecuteApiEndpoint: settings.domain !== null,
    });
    this.#stage = this.#addStage(settings);
    this.url = settings.domain ? `https://${settings.domain.name}` : this.api.apiEndpoint;
  }

  /**
   * Routes each prefix and everything below it to a function, for all methods; `$default` takes all other paths. With
   * `limits`, these apply to each prefix instead of the limits of the stage.
   */
  route(handler: IFunction, prefixes: readonly ('$default' | `/${string}`)[], limits?: RequestLimits): void {
    // One permission per function instead of one per route.
    const integration = new HttpLambdaIntegration('integration', handler, { scopePermissionToRoute: false });
    for (const prefix of prefixes) {
      if (prefix === '$default') {
        // The permission of the integration has the ARN `<api>/*/*/*`, which needs a method and a path.
        handler.addPermission('default-route', {
          principal: new ServicePrincipal('apigateway.amazonaws.com'),
          sourceArn: Stack.of(this).formatArn({
            service: 'execute-api',
            resource: this.api.apiId,
            resourceName: '*/$default',
          }),
        });
        new gateway.HttpRoute(this, 'Default', {
          httpApi: this.api,
          routeKey: gateway.HttpRouteKey.DEFAULT,
          integration,
        });
        continue;
      }
      const routes = this.api.addRoutes({ path: prefix, integration });
      if (limits) this.#limit(prefix, routes, limits);
      this.api.addRoutes({ path: `${prefix}/{proxy+}`, integration });
    }
  }

  #limit(path: string, routes: gateway.HttpRoute[], { requestsPerSecond, requestBurst }: RequestLimits): void {
    const stage = this.#stage.node.defaultChild as gateway.CfnStage;
    stage.routeSettings = {
      ...stage.routeSettings,
      [`ANY ${path}`]: { ThrottlingRateLimit: requestsPerSecond, ThrottlingBurstLimit: requestBurst },
    };
    // API Gateway refuses settings of a route that does not exist yet.
    for (const { node } of routes) stage.addResourceDependency(node.defaultChild as gateway.CfnRoute);
  }

  #addStage(settings: Settings): gateway.HttpStage {
    const destination = new LogGroup(this, 'AccessLog', {
      // For groups without this prefix, API Gateway adds to a policy of the account, which has a limit of 5,120
      // characters.
      logGroupName: `/aws/vendedlogs/apigateway/video-service-${settings.stage}`,
      retention: settings.logRetentionDays,
      removalPolicy: logRemoval(settings),
    });
    const stage = new gateway.HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: settings.requestsPerSecond, burstLimit: settings.requestBurst },
      accessLogSettings: {
        destination: new gateway.LogGroupLogDestination(destination),
        format: AccessLogFormat.custom(JSON.stringify(accessLog)),
      },
    });
    if (settings.domain === null) return stage;
    const domainName = new gateway.DomainName(this, 'DomainName', {
      domainName: settings.domain.name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', settings.domain.certificateArn),
    });
    // The target of the DNS record that the operator creates.
    new CfnOutput(Stack.of(this), 'DomainTarget', { value: domainName.regionalDomainName });
    new gateway.ApiMapping(this, 'DomainMapping', { api: this.api, domainName, stage });
    return stage;
  }
}

import { CfnOutput, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import * as gateway from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { logRemoval } from './log-removal.ts';

/** One JSON line for each request. The route and not the path: a client may put into a path what it should not. */
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
 * The HTTP API. It authenticates nothing and answers no CORS preflight: both are the functions' work, since the gateway knows neither "bearer or
 * cookie" nor the shape of our errors. ANY routes let OPTIONS and unknown methods through to them.
 *
 * Its own CORS configuration stays off. It would add headers to what comes from a function, not to what the gateway says itself when it is throttled
 * or a function is too late; it takes preflights and the functions' own CORS headers away, and knows no origin with any port. So a browser sees a 429
 * or 503 of the gateway as a failed request, which clients try again like one.
 */
export class Api extends Construct {
  readonly api: gateway.HttpApi;
  /** without a slash at its end */
  readonly url: string;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.api = new gateway.HttpApi(this, 'HttpApi', {
      apiName: `video-service-${settings.stage}`,
      createDefaultStage: false,
    });
    this.#addStage(settings);
    this.url = settings.domain ? `https://${settings.domain.name}` : this.api.apiEndpoint;
  }

  /** Sends each prefix and all below it to a function, whatever the method; `$default` is what no prefix takes. */
  route(handler: IFunction, prefixes: readonly ('$default' | `/${string}`)[]): void {
    // One permission for each function instead of one for each route.
    const integration = new HttpLambdaIntegration('integration', handler, { scopePermissionToRoute: false });
    for (const prefix of prefixes) {
      if (prefix === '$default') {
        new gateway.HttpRoute(this, 'Default', {
          httpApi: this.api,
          routeKey: gateway.HttpRouteKey.DEFAULT,
          integration,
        });
        continue;
      }
      this.api.addRoutes({ path: prefix, integration });
      this.api.addRoutes({ path: `${prefix}/{proxy+}`, integration });
    }
  }

  #addStage(settings: Settings): void {
    const destination = new LogGroup(this, 'AccessLog', {
      retention: settings.logRetentionDays,
      removalPolicy: logRemoval(settings),
    });
    const stage = new gateway.HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      detailedMetricsEnabled: true,
      throttle: { rateLimit: settings.requestsPerSecond, burstLimit: settings.requestBurst },
      accessLogSettings: {
        destination: new gateway.LogGroupLogDestination(destination),
        format: AccessLogFormat.custom(JSON.stringify(accessLog)),
      },
    });
    if (settings.domain === null) return;
    const domainName = new gateway.DomainName(this, 'DomainName', {
      domainName: settings.domain.name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', settings.domain.certificateArn),
    });
    // Where the operator's DNS record has to point.
    new CfnOutput(Stack.of(this), 'DomainTarget', { value: domainName.regionalDomainName });
    new gateway.ApiMapping(this, 'DomainMapping', { api: this.api, domainName, stage });
  }
}

import { deployedTemplate, type Resource } from '../template/deployed-template.ts';

export const location = {
  stackName: 'demo',
  region: 'local-1',
  accountId: '000000000000',
  apiUrl: 'http://127.0.0.1:3000',
};

const noSelection = {
  CookiesConfig: { CookieBehavior: 'none' },
  HeadersConfig: { HeaderBehavior: 'none' },
  QueryStringsConfig: { QueryStringBehavior: 'none' },
};

const cachePolicy = (name: string, isText: boolean): Resource => ({
  Type: 'AWS::CloudFront::CachePolicy',
  Properties: {
    CachePolicyConfig: {
      Name: name,
      MinTTL: 0,
      DefaultTTL: 60,
      MaxTTL: 86_400,
      ParametersInCacheKeyAndForwardedToOrigin: {
        ...noSelection,
        EnableAcceptEncodingBrotli: isText,
        EnableAcceptEncodingGzip: isText,
      },
    },
  },
});

const functionResource = (name: string, code: string, more: object = {}): Resource => ({
  Type: 'AWS::CloudFront::Function',
  Properties: { Name: name, FunctionCode: code, FunctionConfig: { Runtime: 'cloudfront-js-2.0', ...more } },
});

const bucketArn = { 'Fn::GetAtt': ['Bucket', 'Arn'] };
const distributionArn = {
  'Fn::Join': ['', ['arn:aws:cloudfront::', { Ref: 'AWS::AccountId' }, ':distribution/', { Ref: 'Distribution' }]],
};
const allowed = (action: string, resource: unknown) => ({
  Action: action,
  Effect: 'Allow',
  Principal: { Service: 'cloudfront.amazonaws.com' },
  Resource: resource,
  Condition: { StringEquals: { 'AWS:SourceArn': distributionArn } },
});

export const rewrite = `async function handler(event) {
  var request = event.request;
  if (request.method === 'OPTIONS') return { statusCode: 204, headers: { 'x-made-by': { value: 'function' } } };
  if (request.uri.indexOf('/s/denied/') === 0) {
    return { statusCode: 403, statusDescription: 'Forbidden', body: { encoding: 'text', data: '{"message":"no"}' } };
  }
  request.uri = request.uri.replace('/s/token', '');
  return request;
}`;
const respond = `function handler(event) {
  var name = event.request.querystring.name;
  if (name) event.response.headers['content-disposition'] = { value: 'attachment; filename=' + name.value };
  return event.response;
}`;
const address = `function handler(event) {
  event.request.headers['x-viewer-address'] = { value: event.viewer.ip };
  return event.request;
}`;

const headersPolicy: Resource = {
  Type: 'AWS::CloudFront::ResponseHeadersPolicy',
  Properties: {
    ResponseHeadersPolicyConfig: {
      Name: 'files',
      CorsConfig: {
        AccessControlAllowCredentials: false,
        AccessControlAllowHeaders: { Items: ['Range'] },
        AccessControlAllowMethods: { Items: ['GET', 'HEAD', 'OPTIONS'] },
        AccessControlAllowOrigins: { Items: ['*'] },
        AccessControlExposeHeaders: { Items: ['ETag'] },
        AccessControlMaxAgeSec: 86_400,
        OriginOverride: true,
      },
      SecurityHeadersConfig: {
        ContentTypeOptions: { Override: true },
        StrictTransportSecurity: { AccessControlMaxAgeSec: 100, Override: true },
      },
      CustomHeadersConfig: { Items: [{ Header: 'X-Own', Value: '1', Override: false }] },
      RemoveHeadersConfig: { Items: [{ Header: 'x-amz-meta-secret' }] },
    },
  },
};

const everyMethod = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'];
const associated = (eventType: string, name: string) => ({
  EventType: eventType,
  FunctionARN: { 'Fn::GetAtt': [name, 'FunctionARN'] },
});
const files = {
  TargetOriginId: 'bucket',
  ViewerProtocolPolicy: 'https-only',
  ResponseHeadersPolicyId: { Ref: 'Headers' },
};

/** A template with a distribution as the CDK writes it: signed files from a bucket, everything else from the API. */
export const resources: Record<string, Resource> = {
  Bucket: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'media' } },
  BucketPolicy: {
    Type: 'AWS::S3::BucketPolicy',
    Properties: {
      Bucket: { Ref: 'Bucket' },
      PolicyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Action: 's3:*',
            Effect: 'Deny',
            Principal: { AWS: '*' },
            Resource: [bucketArn, { 'Fn::Join': ['', [bucketArn, '/*']] }],
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          },
          allowed('s3:GetObject', { 'Fn::Join': ['', [bucketArn, '/videos/*']] }),
          allowed('s3:ListBucket', bucketArn),
        ],
      },
    },
  },
  Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { Name: 'api', ProtocolType: 'HTTP' } },
  Store: { Type: 'AWS::CloudFront::KeyValueStore', Properties: { Name: 'keys' } },
  Rewrite: functionResource('rewrite', rewrite, {
    KeyValueStoreAssociations: [{ KeyValueStoreARN: { 'Fn::GetAtt': ['Store', 'Arn'] } }],
  }),
  Respond: functionResource('respond', respond),
  Address: functionResource('address', address),
  Media: cachePolicy('media', false),
  Text: cachePolicy('text', true),
  Headers: headersPolicy,
  Access: { Type: 'AWS::CloudFront::OriginAccessControl', Properties: {} },
  Distribution: {
    Type: 'AWS::CloudFront::Distribution',
    Properties: {
      DistributionConfig: {
        Enabled: true,
        CacheBehaviors: [
          {
            ...files,
            PathPattern: '/s/*.m3u8',
            CachePolicyId: { Ref: 'Text' },
            Compress: true,
            FunctionAssociations: [associated('viewer-request', 'Rewrite')],
          },
          {
            ...files,
            PathPattern: '/s/*',
            AllowedMethods: everyMethod,
            CachePolicyId: { Ref: 'Media' },
            Compress: false,
            FunctionAssociations: [associated('viewer-request', 'Rewrite'), associated('viewer-response', 'Respond')],
          },
          {
            TargetOriginId: 'api',
            PathPattern: '/assets/*',
            AllowedMethods: everyMethod,
            CachePolicyId: { Ref: 'Text' },
            Compress: false,
          },
        ],
        DefaultCacheBehavior: {
          TargetOriginId: 'api',
          AllowedMethods: everyMethod,
          CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
          OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
          Compress: true,
          FunctionAssociations: [associated('viewer-request', 'Address')],
        },
        CustomErrorResponses: [{ ErrorCode: 403, ErrorCachingMinTTL: 0 }],
        Origins: [
          {
            Id: 'api',
            DomainName: { 'Fn::Select': [2, { 'Fn::Split': ['/', { 'Fn::GetAtt': ['Api', 'ApiEndpoint'] }] }] },
            CustomOriginConfig: { OriginProtocolPolicy: 'https-only' },
            OriginCustomHeaders: [{ HeaderName: 'X-Origin-Secret', HeaderValue: 'secret' }],
          },
          {
            Id: 'bucket',
            DomainName: { 'Fn::GetAtt': ['Bucket', 'RegionalDomainName'] },
            OriginAccessControlId: { 'Fn::GetAtt': ['Access', 'Id'] },
            S3OriginConfig: { OriginAccessIdentity: '' },
          },
        ],
      },
    },
  },
};

export const templateOf = (changes: Record<string, Resource> = {}) =>
  deployedTemplate({ Resources: { ...resources, ...changes } }, location);

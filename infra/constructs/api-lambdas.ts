/**
 * One Lambda per resource, with the path prefixes it answers. A prefix stands for itself and everything below it. The router inside each Lambda
 * knows methods and exact paths, so that unknown methods can be answered 405 with Allow, which the gateway cannot do.
 */
export const apiLambdas = {
  account: ['/register', '/login', '/logout', '/api/me', '/api/profile'],
  tokens: ['/api/tokens'],
  users: ['/api/users'],
  activity: ['/api/activity-log'],
  analytics: ['/api/analytics'],
  usage: ['/api/usage'],
  videos: ['/api/videos'],
  outputs: ['/api/outputs'],
  uploads: ['/api/objstore', '/api/s3', '/api/uploads'],
  streams: ['/api/streams'],
  templates: ['/api/templates', '/api/template-presets', '/api/templates-config'],
  nodes: ['/api/nodes'],
  'ssh-keys': ['/api/ssh-keys'],
  workers: ['/api/workers'],
  service: ['/health', '/docs', '/api/openapi.json'],
} as const satisfies Record<string, readonly `/${string}`[]>;

export type ApiLambda = keyof typeof apiLambdas;

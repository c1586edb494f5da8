/**
 * One Lambda per resource, with its path prefixes. A prefix includes everything below it. The router in each Lambda
 * knows methods and exact paths: it answers 405 with `Allow` for other methods, which the gateway cannot.
 */
export const apiLambdas = {
  account: ['/register', '/login', '/logout', '/api/session', '/api/me', '/api/profile'],
  tokens: ['/api/tokens'],
  users: ['/api/users'],
  activity: ['/api/activity-log'],
  analytics: ['/api/analytics', '/api/videos/{ulid}/analytics'],
  usage: ['/api/usage'],
  videos: ['/api/videos', '/api/tags'],
  captions: ['/api/videos/{ulid}/captions'],
  'storage-deliveries': ['/api/videos/{ulid}/deliveries'],
  outputs: ['/api/outputs'],
  uploads: ['/api/objstore', '/api/s3', '/api/uploads', '/api/direct-uploads', '/api/ingests'],
  storages: ['/api/storages'],
  streams: ['/api/streams'],
  templates: ['/api/templates', '/api/template-presets', '/api/templates-config', '/api/estimates', '/api/images'],
  webhooks: ['/api/webhooks', '/api/events'],
  nodes: ['/api/nodes'],
  'ssh-keys': ['/api/ssh-keys'],
  // What workers call. The list of workers belongs to another function, which has no access to files.
  workers: ['/api/workers/sync', '/api/workers/files'],
  queue: ['/api/workers', '/api/queue'],
  embed: ['/embed', '/oembed'],
  service: ['/health', '/api/openapi.json', '/api/settings'],
  /** All paths of no other function: the pages. */
  dashboard: ['$default'],
} as const satisfies Record<string, readonly ('$default' | `/${string}`)[]>;

export type ApiLambda = keyof typeof apiLambdas;

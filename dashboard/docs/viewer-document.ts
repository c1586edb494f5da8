type Security = Record<string, readonly string[]>[];
type Operation = { security?: Security };
type ApiDocument = {
  info: { description?: string };
  security?: Security;
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: Record<string, unknown> };
};

const scheme = 'bearerAuth';
const advice = `## Get started

1. Create a token in the dashboard, under Account.
2. Enter it under *Authorize* to execute requests here. The session of your browser is not used on this page: a request
   without a token is answered with 401.
3. Begin with \`GET /api/me\`, \`GET /api/templates\` and \`GET /api/videos\`. Programs send the header
   \`Authorization: Bearer TOKEN\`; the package open-video-service has a typed client and a command line.`;

const ofScheme = (security: Security): Security => security.filter((requirement) => scheme in requirement);

/**
 * The document as the viewer shows it. Its requests are sent without cookies, so the other ways to authenticate cannot
 * work there, and the dialog would begin with them.
 */
export const withBearerAuthOnly = (document: ApiDocument): ApiDocument => ({
  ...document,
  info: {
    ...document.info,
    description: [advice, document.info.description].filter(Boolean).join('\n\n## Conventions\n\n'),
  },
  ...(document.security && { security: ofScheme(document.security) }),
  paths: Object.fromEntries(
    Object.entries(document.paths).map(([path, operations]) => [path, mapValues(operations, narrow)]),
  ),
  components: {
    ...document.components,
    securitySchemes: { [scheme]: document.components.securitySchemes[scheme] },
  },
});

const narrow = (operation: Operation): Operation =>
  operation.security ? { ...operation, security: ofScheme(operation.security) } : operation;

const mapValues = <Value>(record: Record<string, Value>, change: (value: Value) => Value): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));

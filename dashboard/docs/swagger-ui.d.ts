/** What the viewer uses of Swagger UI. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  type SwaggerRequest = {
    url: string;
    method?: string;
    headers?: Record<string, string>;
    body?: unknown;
    userFetch?: (url: string, request: SwaggerRequest) => Promise<Response>;
  };
  type Options = {
    spec: unknown;
    domNode: Element;
    deepLinking: boolean;
    docExpansion: 'list' | 'none';
    defaultModelsExpandDepth: number;
    displayRequestDuration: boolean;
    filter: boolean;
    plugins: { fn: { opsFilter: (tags: never, phrase: string) => unknown } }[];
    syntaxHighlight: false;
    tryItOutEnabled: boolean;
    validatorUrl: null;
    requestInterceptor: (request: SwaggerRequest) => SwaggerRequest;
    onComplete: () => void;
  };
  export default function SwaggerUI(options: Options): unknown;
}

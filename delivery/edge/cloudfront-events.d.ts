/** The events of CloudFront Functions, as far as the functions of the edge use them. Header names are lower case. */
export type Headers = Record<string, { value: string }>;

type ViewerRequest = {
  method: string;
  /** as received, without the query */
  uri: string;
  /** values as received, percent-encoded */
  querystring: Record<string, { value: string }>;
  headers: Headers;
};

export type RequestEvent = { viewer: { ip: string }; request: ViewerRequest };

export type ResponseEvent = { request: ViewerRequest; response: { statusCode: number; headers: Headers } };

const meanings = {
  AccessControlListNotSupported: [400, 'The bucket does not allow ACLs'],
  AccessDenied: [403, 'Access Denied'],
  AccessForbidden: [403, 'CORSResponse: This CORS request is not allowed.'],
  AuthorizationHeaderMalformed: [400, 'The authorization header you provided is invalid.'],
  AuthorizationQueryParametersError: [400, 'Error parsing the X-Amz-Credential parameter.'],
  BadDigest: [400, 'The Content-MD5 or checksum value that you specified did not match what the server received.'],
  BadRequest: [400, 'Bad Request'],
  EntityTooLarge: [400, 'Your proposed upload exceeds the maximum allowed size.'],
  EntityTooSmall: [400, 'Your proposed upload is smaller than the minimum allowed size'],
  ExpiredToken: [400, 'The provided token has expired.'],
  IncompleteBody: [400, 'The request body terminated unexpectedly'],
  InternalError: [500, 'We encountered an internal error. Please try again.'],
  InvalidAccessKeyId: [403, 'The AWS Access Key Id you provided does not exist in our records.'],
  InvalidArgument: [400, 'Invalid Argument'],
  InvalidDigest: [400, 'The Content-MD5 or checksum value that you specified is not valid.'],
  InvalidPart: [
    400,
    "One or more of the specified parts could not be found. The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
  ],
  InvalidPartNumber: [416, 'The requested partnumber is not satisfiable'],
  InvalidPartOrder: [400, 'The list of parts was not in ascending order. Parts must be ordered by part number.'],
  InvalidToken: [400, 'The provided token is malformed or otherwise invalid.'],
  InvalidPolicyDocument: [
    400,
    'The content of the form does not meet the conditions specified in the policy document.',
  ],
  InvalidRange: [416, 'The requested range is not satisfiable'],
  InvalidRequest: [400, 'Invalid Request'],
  InvalidTag: [400, 'The tag provided was not a valid tag.'],
  InvalidURI: [400, "Couldn't parse the specified URI."],
  KeyTooLongError: [400, 'Your key is too long'],
  MalformedPOSTRequest: [400, 'The body of your POST request is not well-formed multipart/form-data.'],
  MalformedXML: [400, 'The XML you provided was not well-formed or did not validate against our published schema'],
  MaxMessageLengthExceeded: [400, 'Your request was too big.'],
  MaxPostPreDataLengthExceeded: [400, 'Your POST request fields preceding the upload file were too large.'],
  MetadataTooLarge: [400, 'Your metadata headers exceed the maximum allowed metadata size'],
  MethodNotAllowed: [405, 'The specified method is not allowed against this resource.'],
  MissingContentLength: [411, 'You must provide the Content-Length HTTP header.'],
  NoSuchBucket: [404, 'The specified bucket does not exist'],
  NoSuchKey: [404, 'The specified key does not exist.'],
  NoSuchUpload: [
    404,
    'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
  ],
  NotImplemented: [501, 'A header or query you provided implies functionality that is not implemented'],
  NotModified: [304, 'Not Modified'],
  PreconditionFailed: [412, 'At least one of the pre-conditions you specified did not hold'],
  RequestTimeout: [
    400,
    'Your socket connection to the server was not read from or written to within the timeout period. Idle connections will be closed.',
  ],
  RequestTimeTooSkewed: [403, "The difference between the request time and the server's time is too large."],
  SignatureDoesNotMatch: [
    403,
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  ],
  XAmzContentSHA256Mismatch: [400, "The provided 'x-amz-content-sha256' header does not match what was computed."],
} as const satisfies Record<string, readonly [number, string]>;

export type S3ErrorCode = keyof typeof meanings;

/** An error response of S3. `details` become elements of the XML body, `headers` are added to the response. */
export class S3Error extends Error {
  readonly code: S3ErrorCode;
  readonly status: number;
  readonly details: Record<string, string | number>;
  readonly headers: Record<string, string>;

  constructor(
    code: S3ErrorCode,
    message?: string,
    more: { details?: Record<string, string | number>; headers?: Record<string, string> } = {},
  ) {
    super(message ?? meanings[code][1]);
    this.name = code;
    this.code = code;
    this.status = meanings[code][0];
    this.details = more.details ?? {};
    this.headers = more.headers ?? {};
  }
}

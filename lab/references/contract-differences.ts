/** A behaviour of the contract suite in which a reference differs. `title` is that of the test, or matches several. */
type Difference = { target: string; title: string | RegExp; reason: string; page?: string };

const guide = 'https://docs.aws.amazon.com/AmazonS3/latest/userguide';
const s3Api = 'https://docs.aws.amazon.com/AmazonS3/latest/API';
const dynamodbApi = 'https://docs.aws.amazon.com/amazondynamodb/latest/APIReference';
const dynamodbGuide = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide';

export const differences: Difference[] = [
  {
    target: 'dynoxide',
    title: /^a query on the table refuses the limit /,
    reason: 'accepts a `Limit` of more than 32 bits, whose type is Integer',
    page: `${dynamodbApi}/API_Query.html`,
  },
  {
    target: 'dynoxide',
    title: 'a query on an index rejects a projection of attributes that the index does not contain',
    reason: 'leaves out attributes that the index does not project, instead of refusing the request',
    page: `${dynamodbGuide}/GSI.html`,
  },
  {
    target: 'dynoxide',
    title: 'a transactional read returns items in the requested order, with empty entries for missing items',
    reason: 'ignores `ProjectionExpression` in TransactGetItems',
    page: `${dynamodbApi}/API_Get.html`,
  },
  {
    target: 'versitygw',
    title: 'keys are listed in the order of their UTF-8 bytes',
    reason: 'stores objects as files, so that `a` and `a/b` cannot both exist',
  },
  {
    target: 'versitygw',
    title: 'a key has at most 1024 bytes',
    reason: 'has the limits of file names',
    page: `${guide}/object-keys.html`,
  },
  {
    target: 'versitygw',
    title: 'keys can be requested URL-encoded',
    reason: 'ignores `encoding-type`',
    page: `${s3Api}/API_ListObjectsV2.html`,
  },
  {
    target: 'versitygw',
    title: 'invalid listings are rejected',
    reason: 'accepts any continuation token',
    page: `${s3Api}/API_ListObjectsV2.html`,
  },
  {
    target: 'versitygw',
    title: 'a body of unknown hash is streamed with a trailing checksum',
    reason: 'stores `aws-chunked` as a part of `Content-Encoding`',
    page: `${s3Api}/sigv4-streaming.html`,
  },
  {
    target: 'versitygw',
    title: 'conditional reads are answered with 304 and 412',
    reason: 'compares `If-Modified-Since` with fractions of a second, which the header does not have',
    page: `${s3Api}/API_GetObject.html`,
  },
  {
    target: 'versitygw',
    title: 'copies that S3 rejects are rejected',
    reason: 'answers 304 to a copy whose `x-amz-copy-source-if-none-match` does not hold, instead of 412',
    page: `${s3Api}/API_CopyObject.html`,
  },
  {
    target: 'versitygw',
    title: 'deleting a missing object succeeds',
    reason: 'ignores `Quiet`',
    page: `${s3Api}/API_DeleteObjects.html`,
  },
  {
    target: 'versitygw',
    title: 'too many keys to delete are malformed',
    reason: 'deletes more than 1,000 objects at once',
    page: `${s3Api}/API_DeleteObjects.html`,
  },
  {
    target: 'versitygw',
    title: 'response-* parameters replace headers, and cannot inject others',
    reason: 'accepts a line break in a header, and sends a space',
  },
  {
    target: 'versitygw',
    title: /^(parts become one object|a repeated completion|a completion that does not|an upload requires its key)/,
    reason: 'checks parts before the upload, knows parts only by number, and does not repeat a completion',
    page: `${s3Api}/API_CompleteMultipartUpload.html`,
  },
  {
    target: 'versitygw',
    title: 'uploads are listed by key and age, page by page',
    reason: 'lists the uploads of a key by id, which it requires to be a UUID',
    page: `${s3Api}/API_ListMultipartUploads.html`,
  },
  {
    target: 'versitygw',
    title: 'a part must have the checksum algorithm of its upload',
    reason: 'has another text for the same error',
  },
  {
    target: 'versitygw',
    title: 'a client with default settings uploads without naming a checksum',
    reason: 'calculates a CRC64NVME checksum, as AWS does; the embedded S3 does not, a known difference',
    page: `${guide}/checking-object-integrity-upload.html`,
  },
  {
    target: 'versitygw',
    title: 'the range "bytes=2-" of a part is not of the form bytes=first-last',
    reason: 'copies to the end of the source',
    page: `${s3Api}/API_UploadPartCopy.html`,
  },
  {
    target: 'versitygw',
    title: /^(the range bytes=10-12 ends after|an empty object becomes an empty part)/,
    reason:
      'answers `InvalidArgument` to a range that starts after the source; other stores written against AWS answer `InvalidRequest`',
  },
  {
    target: 'versitygw',
    title: 'a part is copied only while the conditions on its source hold',
    reason: 'answers 304 to a part whose `x-amz-copy-source-if-none-match` does not hold, instead of 412',
    page: `${s3Api}/API_UploadPartCopy.html`,
  },
  {
    // A mock, whose many differences say nothing about the embedded services. What it agrees with counts.
    target: 'moto',
    title: /./,
    reason: 'accepts most of what AWS refuses, and answers 500 with a page in HTML for other requests',
  },
];

/** The known difference of a target in a behaviour. */
export const differenceOf = (target: string, title: string): Difference | undefined =>
  differences.find(
    (one) => one.target === target && (typeof one.title === 'string' ? one.title === title : one.title.test(title)),
  );

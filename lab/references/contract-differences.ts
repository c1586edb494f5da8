/** A behaviour of the contract suite in which a reference differs. `title` is that of the test, or matches several. */
type Difference = { target: string; title: string | RegExp; reason: string; page?: string };

const guide = 'https://docs.aws.amazon.com/AmazonS3/latest/userguide';
const s3Api = 'https://docs.aws.amazon.com/AmazonS3/latest/API';
const ssmApi = 'https://docs.aws.amazon.com/systems-manager/latest/APIReference';
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
    target: 'moto',
    title:
      /^(more than 25 writes|two writes of one item|a query on the table refuses|a query on an index rejects|an index key of|an unknown ReturnValues)/,
    reason: 'does not check these members of requests, and carries them out',
    page: `${dynamodbApi}/API_BatchWriteItem.html`,
  },
  {
    target: 'moto',
    title:
      /^(no items is|a check without|a transactional read of the same item twice|the items of a transaction have at most)/,
    reason: 'does not check the items of a transaction',
    page: `${dynamodbApi}/API_TransactWriteItems.html`,
  },
  {
    target: 'moto',
    title:
      /^(an unknown function|a syntax error|an entry without an operation|an update without an expression|a malformed expression)/,
    reason: 'answers 500 with a page in HTML to expressions that it cannot parse',
    page: `${dynamodbGuide}/Expressions.html`,
  },
  {
    target: 'moto',
    title: /^the condition (NOT )?a BETWEEN/,
    reason: 'answers 500 with a page in HTML when an operand of BETWEEN is missing',
    page: `${dynamodbGuide}/Expressions.OperatorsAndFunctions.html`,
  },
  {
    target: 'moto',
    title: 'the condition b = c is false for an item that has only a',
    reason: 'takes two attributes that are missing for equal',
    page: `${dynamodbGuide}/Expressions.OperatorsAndFunctions.html`,
  },
  {
    target: 'moto',
    title: 'a value that no expression uses is a ValidationException',
    reason: 'evaluates a condition before it checks the values',
    page: `${dynamodbApi}/API_PutItem.html`,
  },
  {
    target: 'moto',
    title: 'a batch with one invalid item writes nothing',
    reason: 'writes the items before the invalid one',
    page: `${dynamodbApi}/API_BatchWriteItem.html`,
  },
  {
    target: 'moto',
    title:
      'requests that exceed the size of a response are unprocessed, and a retry returns the rest with the same projection',
    reason: 'has no limit on the size of a response',
    page: `${dynamodbApi}/API_BatchGetItem.html`,
  },
  {
    target: 'moto',
    title: 'a query on an index orders numbers by value',
    reason: 'does not end with an empty page after one that is full',
    page: `${dynamodbGuide}/Query.Pagination.html`,
  },
  {
    target: 'moto',
    title: 'REMOVE removes attributes, and list elements by their indexes before the update',
    reason: 'removes elements of a list one after the other, so that the later indexes are those of other elements',
    page: `${dynamodbGuide}/Expressions.UpdateExpressions.html`,
  },
  {
    target: 'moto',
    title: /^(an error that only writing reveals|a transactional read with a key of another form)/,
    reason: 'refuses a transaction whose item is wrong, instead of cancelling it',
    page: `${dynamodbApi}/API_TransactWriteItems.html`,
  },
  {
    target: 'moto',
    title: /^a client token /,
    reason: 'ignores `ClientRequestToken`',
    page: `${dynamodbApi}/API_TransactWriteItems.html`,
  },
  {
    target: 'moto',
    title: 'a transactional read returns items in the requested order, with empty entries for missing items',
    reason: 'ignores `ProjectionExpression` in TransactGetItems',
    page: `${dynamodbApi}/API_Get.html`,
  },
  {
    target: 'moto',
    title: 'transactional reads never see a part of a transaction',
    reason: 'is not atomic: reads see a part of a transaction',
    page: `${dynamodbGuide}/transactions.html`,
  },
  {
    target: 'moto',
    title: 'keys can be requested URL-encoded',
    reason: 'ignores `encoding-type`',
    page: `${s3Api}/API_ListObjectsV2.html`,
  },
  {
    target: 'moto',
    title: /^(invalid listings|part number 1.5|response-\* parameters|tags are stored|deleting a missing object)/,
    reason: 'answers 500 with a page in HTML to names and numbers that it does not expect',
  },
  {
    target: 'moto',
    title:
      /^(a completion that|a repeated completion|an upload requires its key|(CRC32|SHA256) checksums of parts make a COMPOSITE|a part must have)/,
    reason: 'completes uploads without comparing what it is sent with the parts',
    page: `${s3Api}/API_CompleteMultipartUpload.html`,
  },
  {
    target: 'moto',
    title: /^(CRC32|CRC64NVME) checksums of parts make a FULL_OBJECT|^a copied part has the checksum/,
    reason: 'has no checksums of multipart uploads',
    page: `${s3Api}/API_UploadPart.html`,
  },
  {
    target: 'moto',
    title: 'parts become one object, in any order of upload',
    reason: 'does not encode the key in `Location`',
  },
  {
    target: 'moto',
    title: /^part number (0|-1) is rejected/,
    reason: 'looks for the upload before it checks the number',
    page: `${s3Api}/API_UploadPart.html`,
  },
  {
    target: 'moto',
    title: /^(parts|uploads) are listed .*page by page/,
    reason: 'lists parts and uploads without pages',
    page: `${s3Api}/API_ListParts.html`,
  },
  {
    target: 'moto',
    title: /^(a \S+ checksum is verified|a wrong Content-MD5)/,
    reason: 'does not compare checksums with the body',
    page: `${guide}/checking-object-integrity-upload.html`,
  },
  {
    target: 'moto',
    title: /^(tags outside|copies that S3 rejects|too many keys|a key has at most|metadata of more than)/,
    reason: 'has none of these limits',
    page: `${guide}/object-keys.html`,
  },
  {
    target: 'moto',
    title: 'lines=1-2 is not a range: the whole object is sent',
    reason: 'reads the numbers of a range in any unit',
    page: `${s3Api}/API_GetObject.html`,
  },
  {
    target: 'moto',
    title: 'conditional reads are answered with 304 and 412',
    reason: 'evaluates `If-Unmodified-Since` also where `If-Match` holds',
    page: `${s3Api}/API_GetObject.html`,
  },
  {
    target: 'moto',
    title: /^(the range .* (of a part|ends after)|an empty object becomes|a part is copied only)/,
    reason: 'checks neither ranges nor conditions of copied parts',
    page: `${s3Api}/API_UploadPartCopy.html`,
  },
  {
    target: 'moto',
    title: 'copies into parts that S3 rejects are rejected',
    reason: 'has another code for a source that does not exist',
    page: `${s3Api}/API_UploadPartCopy.html`,
  },
  {
    target: 'moto',
    title: 'a presigned URL copies what its signed headers name, and nothing else',
    reason: 'does not check signatures',
  },
  {
    target: 'moto',
    title:
      /^(a value over 4 KB|a space in the name|a name with levels|an empty level|a trailing slash|a name of 1,012|sixteen levels|a value that its|an invalid pattern|a path without|the type of a parameter)/,
    reason: 'checks neither names, values nor paths of parameters',
    page: `${ssmApi}/API_PutParameter.html`,
  },
  {
    target: 'moto',
    title: 'the prefix aws is rejected',
    reason: 'has another code for names below `/aws`',
  },
  {
    target: 'moto',
    title: 'a SecureString is decrypted only on request',
    reason: 'shows the text of a SecureString behind the name of its key',
    page: `${ssmApi}/API_GetParameter.html`,
  },
];

/** The known difference of a target in a behaviour. */
export const differenceOf = (target: string, title: string): Difference | undefined =>
  differences.find(
    (one) => one.target === target && (typeof one.title === 'string' ? one.title === title : one.title.test(title)),
  );

/** The IAM actions that each command of an AWS client needs, by service. An unlisted command fails the test. */
export const actionsOfCommand: Readonly<Record<string, readonly string[]>> = {
  'dynamodb/GetItem': ['dynamodb:GetItem'],
  'dynamodb/BatchGetItem': ['dynamodb:BatchGetItem'],
  'dynamodb/Query': ['dynamodb:Query'],
  'dynamodb/PutItem': ['dynamodb:PutItem'],
  'dynamodb/UpdateItem': ['dynamodb:UpdateItem'],
  'dynamodb/DeleteItem': ['dynamodb:DeleteItem'],
  'dynamodb/BatchWriteItem': ['dynamodb:BatchWriteItem'],
  'dynamodb/TransactWriteItems': [
    'dynamodb:PutItem',
    'dynamodb:UpdateItem',
    'dynamodb:DeleteItem',
    'dynamodb:ConditionCheckItem',
  ],
  's3/GetObject': ['s3:GetObject'],
  's3/HeadObject': ['s3:GetObject'],
  's3/PutObject': ['s3:PutObject'],
  's3/CopyObject': ['s3:GetObject', 's3:PutObject'],
  's3/UploadPartCopy': ['s3:GetObject', 's3:PutObject'],
  's3/presigned-post': ['s3:PutObject'],
  's3/PutObjectTagging': ['s3:PutObjectTagging'],
  's3/GetObjectTagging': ['s3:GetObjectTagging'],
  's3/DeleteObjects': ['s3:DeleteObject'],
  's3/ListObjectsV2': ['s3:ListBucket'],
  's3/CreateMultipartUpload': ['s3:PutObject'],
  's3/CompleteMultipartUpload': ['s3:PutObject'],
  's3/AbortMultipartUpload': ['s3:AbortMultipartUpload'],
  's3/ListParts': ['s3:ListMultipartUploadParts'],
  's3/ListMultipartUploads': ['s3:ListBucketMultipartUploads'],
  'sfn/StartExecution': ['states:StartExecution'],
  'sfn/StopExecution': ['states:StopExecution'],
  'sfn/DescribeExecution': ['states:DescribeExecution'],
  'sfn/SendTaskSuccess': ['states:SendTaskSuccess'],
  'sfn/SendTaskFailure': ['states:SendTaskFailure'],
  'ssm/GetParameter': ['ssm:GetParameter'],
  'ssm/PutParameter': ['ssm:PutParameter'],
  'ssm/DeleteParameter': ['ssm:DeleteParameter'],
  'sts/AssumeRole': ['sts:AssumeRole'],
  // The caller passes the roles of the task, and the tags of its definition.
  'ecs/RunTask': ['ecs:RunTask', 'iam:PassRole', 'ecs:TagResource'],
  'ecs/ListTasks': ['ecs:ListTasks'],
  'ecs/DescribeTasks': ['ecs:DescribeTasks'],
  'ecr/DescribeImages': ['ecr:DescribeImages'],
  'ecr/GetAuthorizationToken': ['ecr:GetAuthorizationToken'],
  ...Object.fromEntries(
    ['DescribeKeyValueStore', 'PutKey', 'DeleteKey', 'ListKeys', 'UpdateKeys'].map((command) => [
      `cloudfront-keyvaluestore/${command}`,
      [`cloudfront-keyvaluestore:${command}`],
    ]),
  ),
  ...Object.fromEntries(
    [
      'PutDeliverySource',
      'PutDeliveryDestination',
      'CreateDelivery',
      'UpdateDeliveryConfiguration',
      'DescribeDeliveries',
      'DeleteDelivery',
      'DeleteDeliveryDestination',
      'DeleteDeliverySource',
    ].map((command) => [`cloudwatch-logs/${command}`, [`logs:${command}`]]),
  ),
  'lambda/Invoke': ['lambda:InvokeFunction'],
  'eventbridge/PutEvents': ['events:PutEvents'],
};

/** Commands that are in a bundle but never called, because a client or a library refers to them. */
export const uncalledCommands: { command: string; reason: string }[] = [
  { command: 'dynamodb/Scan', reason: 'The document client has a paginator of it.' },
  { command: 'dynamodb/DescribeEndpoints', reason: 'The client asks for endpoints where a table has none: no more.' },
  { command: 's3/CreateSession', reason: 'The client asks for a session of directory buckets; ours is none.' },
];

/** Commands of functions that go to the stores of users, with the credentials of these. */
export const commandsToStorages: Readonly<Record<string, readonly string[]>> = {
  storages: ['s3/PutObject', 's3/GetObject', 's3/ListObjectsV2', 's3/DeleteObject'],
  'continue-storage-deliveries': ['s3/AbortMultipartUpload'],
};

/** Actions that are granted although no command in the code needs them. */
export const impliedActions: { action: RegExp; function?: RegExp; with?: string; reason: string }[] = [
  {
    action: /^cloudfront:AllowVendedLogDeliveryForResource$/,
    with: 'logs:PutDeliverySource',
    reason: 'The source of logs is the distribution, which has to permit it.',
  },
  { action: /^logs:(CreateLogStream|PutLogEvents)$/, reason: 'Lambda writes the log in the name of the function.' },
  {
    action: /^dynamodb:(GetItem|BatchGetItem|ConditionCheckItem)$/,
    with: 'dynamodb:Query',
    reason: 'Who may query the table has every item of it by any of these.',
  },
  {
    action: /^dynamodb:(DescribeStream|GetRecords|GetShardIterator|ListStreams)$/,
    function: /^dispatch$/,
    reason: 'Lambda reads the stream in the name of the function.',
  },
  {
    action: /^dynamodb:BatchWriteItem$/,
    with: 'dynamodb:PutItem',
    reason: 'Who may put and delete an item may put and delete many.',
  },
  {
    action: /^s3:ListBucket$/,
    with: 's3:GetObject',
    reason: 'Without it S3 answers 403 where there is no object, and not 404.',
  },
  {
    action: /^kms:Decrypt$/,
    with: 'ssm:GetParameter',
    reason: 'Parameter Store opens secrets in the name of who reads them.',
  },
  {
    action: /^kms:Encrypt$/,
    with: 'ssm:PutParameter',
    reason: 'Parameter Store encrypts secrets in the name of who writes them.',
  },
  {
    action: /^kms:GenerateDataKey$/,
    function: /^ssh-keys$/,
    with: 'ssm:PutParameter',
    reason: 'Those over 4 KB are encrypted with a data key.',
  },
  {
    action: /^ecr:(BatchCheckLayerAvailability|GetDownloadUrlForLayer|BatchGetImage)$/,
    function: /^operate$/,
    with: 'ecr:GetAuthorizationToken',
    reason: 'A server pulls with the login that the function gave it, which can do what its maker can.',
  },
  {
    action: /^sqs:SendMessage$/,
    function: /^(count-accesses|dispatch)$/,
    reason: 'Lambda keeps what the function could not do in the name of the function.',
  },
];

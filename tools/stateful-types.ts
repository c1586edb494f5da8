/**
 * Resource types that hold data or that clients know by name, with the properties whose change replaces the resource:
 * an empty one would take its place.
 */
export const statefulTypes: Readonly<Record<string, readonly string[]>> = {
  'AWS::DynamoDB::Table': ['TableName', 'KeySchema'],
  'AWS::S3::Bucket': ['BucketName'],
  'AWS::KMS::Key': ['KeySpec', 'KeyUsage', 'MultiRegion'],
  'AWS::KMS::Alias': ['AliasName'],
  'AWS::SQS::Queue': ['QueueName', 'FifoQueue'],
  'AWS::StepFunctions::StateMachine': ['StateMachineName', 'StateMachineType'],
  'AWS::ApiGatewayV2::Api': ['ProtocolType'],
};

import { CfnOutput, Validations } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import { type CfnPolicy, Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { ServiceFunction } from './function.ts';

/** A fixed address for the outgoing connections of functions: a network with a NAT gateway and an Elastic IP. */
export class FixedEgress extends Construct {
  readonly #vpc: ec2.Vpc;
  readonly #securityGroup: ec2.SecurityGroup;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const address = new ec2.CfnEIP(this, 'Address', { domain: 'vpc' });
    this.#vpc = new ec2.Vpc(this, 'Vpc', {
      maxAzs: 2,
      // One gateway has one address. Without its zone, steps on nodes fail until the zone is back.
      natGateways: 1,
      natGatewayProvider: ec2.NatProvider.gateway({ eipAllocationIds: [address.attrAllocationId] }),
      restrictDefaultSecurityGroup: false,
      subnetConfiguration: [
        { name: 'gateway', subnetType: ec2.SubnetType.PUBLIC, cidrMask: 26 },
        { name: 'functions', subnetType: ec2.SubnetType.PRIVATE_WITH_EGRESS, cidrMask: 24 },
      ],
      gatewayEndpoints: {
        Store: { service: ec2.GatewayVpcEndpointAwsService.S3 },
        Table: { service: ec2.GatewayVpcEndpointAwsService.DYNAMODB },
      },
    });
    this.#securityGroup = new ec2.SecurityGroup(this, 'SecurityGroup', {
      vpc: this.#vpc as ec2.IVpc,
      description: 'Outbound connections of functions only',
      allowAllOutbound: true,
    });
    new CfnOutput(this, 'NodeEgressAddress', {
      value: address.attrPublicIp,
      description: 'SSH connections to nodes come from this address',
    }).overrideLogicalId('NodeEgressAddress');
  }

  /** Runs a function in the network. */
  addFunction(handler: ServiceFunction): void {
    // The managed policy that CDK attaches with a VPC also allows writing every log group of the account.
    const policy = new Policy(this, `${handler.node.id}-network`, {
      roles: [handler.role!],
      statements: [
        new PolicyStatement({
          actions: [
            'ec2:CreateNetworkInterface',
            'ec2:DeleteNetworkInterface',
            'ec2:DescribeNetworkInterfaces',
            'ec2:DescribeSubnets',
            'ec2:AssignPrivateIpAddresses',
            'ec2:UnassignPrivateIpAddresses',
          ],
          resources: ['*'],
        }),
      ],
    });
    Validations.of(policy.node.defaultChild as CfnPolicy).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'Lambda requires these permissions for all network interfaces of a function in a VPC.',
    });
    const definition = handler.node.defaultChild as CfnFunction;
    definition.vpcConfig = {
      subnetIds: this.#vpc.privateSubnets.map(({ subnetId }) => subnetId),
      securityGroupIds: [this.#securityGroup.securityGroupId],
    };
    handler.node.addDependency(policy, this.#vpc);
  }
}

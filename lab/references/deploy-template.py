"""Creates the stack of a template with the CloudFormation of moto, without the types that moto does not have. Prints why
a stack was not created, and on stderr how many resources were."""

import io
import json
import re
import sys
import zipfile

import boto3
import moto
from moto import mock_aws

region, account = "eu-west-1", "123456789012"
left_out = f"arn:aws:service:{region}:{account}:left-out"


def modelled():
    """The types of resources that moto's sources name."""
    from pathlib import Path

    sources = Path(moto.__file__).parent.rglob("*.py")
    return {name for path in sources for name in re.findall(r"AWS::\w+::\w+", path.read_text())}


def cleaned(value, missing):
    """A value without references to resources that are left out."""
    if isinstance(value, list):
        return [cleaned(one, missing) for one in value]
    if not isinstance(value, dict):
        return value
    target = value.get("Ref") or value.get("Fn::GetAtt")
    name = target[0] if isinstance(target, list) else str(target).split(".")[0]
    if len(value) == 1 and name in missing:
        return left_out
    return {key: cleaned(one, missing) for key, one in value.items() if key != "DependsOn"}


with open(sys.argv[1]) as file:
    template = json.load(file)
known = modelled()
everything = template["Resources"]
missing = {name for name, resource in everything.items() if resource["Type"] not in known}
template["Resources"] = {
    name: cleaned(resource, missing) for name, resource in everything.items() if name not in missing
}
template["Outputs"] = cleaned(template.get("Outputs", {}), missing)
archive = io.BytesIO()
with zipfile.ZipFile(archive, "w") as bundle:
    bundle.writestr("index.cjs", "exports.handler = async () => {};")

with mock_aws():
    options = {"region_name": region, "aws_access_key_id": "x", "aws_secret_access_key": "x"}
    # what the CDK's bootstrap stack has
    store = boto3.client("s3", **options)
    bucket = f"cdk-hnb659fds-assets-{account}-{region}"
    store.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": region})
    for resource in template["Resources"].values():
        code = resource.get("Properties", {}).get("Code")
        if isinstance(code, dict) and "S3Key" in code:
            store.put_object(Bucket=bucket, Key=code["S3Key"], Body=archive.getvalue())
    boto3.client("ssm", **options).put_parameter(
        Name="/cdk-bootstrap/hnb659fds/version", Value="21", Type="String"
    )
    stacks = boto3.client("cloudformation", **options)
    try:
        stacks.create_stack(
            StackName="video", TemplateBody=json.dumps(template), Capabilities=["CAPABILITY_NAMED_IAM"]
        )
        stack = stacks.describe_stacks(StackName="video")["Stacks"][0]
        if stack["StackStatus"] != "CREATE_COMPLETE":
            print(f"{stack['StackStatus']} {stack.get('StackStatusReason', '')}")
    except Exception as error:  # each is a finding
        print(f"the stack was not created: {error}")
created = len(template["Resources"])
print(f"moto created {created} of {len(everything)} resources", file=sys.stderr)

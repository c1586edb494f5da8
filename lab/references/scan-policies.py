"""Prints the findings of cloudsplaining in the policies of a template, one a line, each once."""

import json
import sys

from cloudsplaining.scan.policy_document import PolicyDocument

pseudo = {"AWS::Partition": "aws", "AWS::Region": "eu-west-1", "AWS::AccountId": "000000000000"}


def resolved(value):
    """A value without intrinsic functions: which resource a statement names does not matter, but that it names one."""
    if isinstance(value, list):
        return [resolved(one) for one in value]
    if not isinstance(value, dict):
        return value
    if "Ref" in value:
        return pseudo.get(value["Ref"], value["Ref"])
    if "Fn::Join" in value:
        separator, parts = value["Fn::Join"]
        return separator.join(map(str, resolved(parts)))
    if any(name.startswith("Fn::") for name in value):
        return "arn:aws:service:eu-west-1:000000000000:resource"
    return {name: resolved(one) for name, one in value.items()}


with open(sys.argv[1]) as file:
    resources = json.load(file)["Resources"].values()
documents = []
for resource in resources:
    properties = resource.get("Properties", {})
    if resource["Type"] in ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy"):
        documents.append(properties["PolicyDocument"])
    if resource["Type"] == "AWS::IAM::Role":
        documents += [policy["PolicyDocument"] for policy in properties.get("Policies", [])]

findings = set()
for document in documents:
    policy = PolicyDocument(resolved(document))
    findings |= {f"privilege_escalation {one['type']}" for one in policy.allows_privilege_escalation}
    findings |= {f"credentials_exposure {one}" for one in policy.credentials_exposure}
    findings |= {f"data_exfiltration {one}" for one in policy.allows_data_exfiltration_actions}
    findings |= {f"permissions_management {one}" for one in policy.permissions_management_without_constraints}
    findings |= {f"unrestricted {one}" for one in policy.all_allowed_unrestricted_actions}
    findings |= {f"service_wildcard {one}" for one in policy.service_wildcard}
if not documents:
    findings.add("no policies were found")
print("\n".join(sorted(findings)))

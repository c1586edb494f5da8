# Replaces the AWS CLI on the PATH of the documented commands: sends each command to the embedded cloud, or records it for
# a check of its syntax when the embedded cloud does not implement the operation.

import json
import os
import socket
import sys

# The output of a command that was not sent. It is long enough to be accepted as an ARN by the next command.
FAKE_ARN = "arn:aws:nothing:was:sent:the-form-alone-is-checked"

env = os.environ
args = sys.argv[1:]

form_options = env.get("FORM_OPTIONS", "").split(",")
if " ".join(args[:2]) in env.get("FORM_OPERATIONS", "").split(",") or any(arg in form_options for arg in args):
    with open(env["FORMS_FILE"], "a") as forms:
        forms.write(json.dumps(args) + "\n")
    print(FAKE_ARN)
    sys.exit(0)

if "--endpoint-url" not in args:
    # The CLI of Debian 12 does not read these two variables.
    name = "AWS_ENDPOINT_URL_S3" if args[:1] in (["s3"], ["s3api"]) else "AWS_ENDPOINT_URL"
    args = ["--endpoint-url", env[name], *args]

if "AWS_SERVER" not in env:
    os.execv(env["AWS_CLI"], [env["AWS_CLI"], *args])

with socket.socket(socket.AF_UNIX) as server:
    server.connect(env["AWS_SERVER"])
    socket.send_fds(server, [b"\n"], [0, 1, 2])
    server.sendall(json.dumps({"args": args, "folder": os.getcwd(), "env": dict(env)}).encode())
    server.shutdown(socket.SHUT_WR)
    status = server.recv(1)
# No status: the process of the command was killed.
sys.exit(status[0] if status else 255)

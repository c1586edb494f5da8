"""Who sends the requests of schemathesis: CALLER of the file CALLERS, or nobody."""

import itertools
import json
import os

import schemathesis

with open(os.environ["CALLERS"]) as file:
    callers = json.load(file).get(os.environ["CALLER"], [])
sent = itertools.count()
authenticated = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    number = next(sent)
    network = number // 50
    case.headers = case.headers or {}
    case.headers["X-Forwarded-For"] = f"10.{network // 62500}.{network // 250 % 250}.{network % 250 + 1}"


if callers:

    @schemathesis.auth(refresh_interval=None)
    class Caller:
        def get(self, case, context):
            number = next(authenticated)
            return callers[number // 280 % len(callers)] | {"uses_records": number % 2 == 0}

        def set(self, case, caller, context):
            case.headers = case.headers or {}
            case.headers["Authorization"] = f"Bearer {caller['token']}"
            for path, record in caller["records"].items():
                if caller["uses_records"] and case.operation.path.startswith(path):
                    name = path[path.index("{") + 1 : -1]
                    case.path_parameters = {**(case.path_parameters or {}), name: record}

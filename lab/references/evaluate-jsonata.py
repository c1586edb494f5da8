"""Evaluates the JSONata expression of each line, and prints its result, or that it has none or fails."""

import json
import sys

import jsonata

for line in sys.stdin:
    try:
        # As the member of an object, a null differs from no result.
        outcome = jsonata.Jsonata('{"result": (' + json.loads(line) + ")}").evaluate(None)
        text = json.dumps(outcome)
    except Exception:
        text = json.dumps({"error": "fails"})
    print(text, flush=True)

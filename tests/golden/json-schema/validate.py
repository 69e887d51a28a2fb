#!/usr/bin/python3
"""Checks answers of `LACUNA_SCHEMA_SAMPLES=FILE lacuna_grammar_test` with python3-jsonschema."""
import json
import sys

import jsonschema

samples = json.load(open(sys.argv[1]))
bad = 0
for i, sample in enumerate(samples):
    try:
        jsonschema.Draft202012Validator.check_schema(sample["schema"])
        jsonschema.Draft202012Validator(sample["schema"]).validate(json.loads(sample["answer"]))
    except Exception as problem:
        bad += 1
        print(f"sample {i}: {problem}\n{json.dumps(sample)}")
print(f"{len(samples) - bad} of {len(samples)} answers are valid")
sys.exit(bad > 0)

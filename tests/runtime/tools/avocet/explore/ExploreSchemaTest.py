# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""explore.json is what its published schema says, and has no key that the schema lacks.

  ExploreSchemaTest.py --avocet PROGRAM --model NETWORK      exit code 77 without Python's module jsonschema
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    jsonschema = None

EXIT_SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parents[5]
SCHEMA = ROOT / "runtime" / "tools" / "avocet" / "schemas" / "explore.schema.json"


def closed(schema):
    """The schema without room for further keys, which readers must accept."""
    if isinstance(schema, list):
        return [closed(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if "properties" in schema and schema.get("type") == "object":
        result.setdefault("additionalProperties", False)
    return result


class ExploreSchemaTest(unittest.TestCase):
    options = None

    def testAllStatesFitTheSchema(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([self.options.avocet, "explore", "--models", self.options.model, "--set", "sram.bytes=65568,64K", "--set",
                            "sram.burstBytes=32,64", "-o", folder], check=True, stdout=subprocess.DEVNULL, timeout=240)
            document = json.loads(pathlib.Path(folder, "explore.json").read_text())
        schema = closed(json.loads(SCHEMA.read_text()))
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        validator.validate(document)
        self.assertEqual([point["state"] for point in document["points"]], ["ok", "refused", "ok", "ok"])
        del document["points"][0]["cycles"]
        self.assertFalse(validator.is_valid(document))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--avocet", required=True)
    parser.add_argument("--model", required=True)
    ExploreSchemaTest.options = parser.parse_args()
    if jsonschema is None:
        print("skipped: Python has no module jsonschema (python3-jsonschema)")
        return EXIT_SKIPPED
    result = unittest.main(argv=[sys.argv[0]], exit=False).result
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())

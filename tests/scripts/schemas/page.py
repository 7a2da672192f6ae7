# SPDX-License-Identifier: MIT
# page.py PAGE SCHEMAS [LEFT-OUT] - runs each command line of a page in the current folder, in its order, and expects the
# exit status that a comment there gives, or 0, and JSON; and that the schema of the command has each field that the text
# below names. LEFT-OUT: commands with this text are not run.
import json
import re
import subprocess
import sys

page, folder, *left_out = sys.argv[1:]


def schema_of(command):
    return json.load(open("%s/%s.schema.json" % (folder, command)))


def resolve(schema, part):
    """What a schema says of a part: "$ref" and "anyOf" are followed."""
    if "$ref" in part:
        yield from resolve(schema, schema["$defs"][part["$ref"].split("/")[-1]])
    for choice in part.get("anyOf", []):
        yield from resolve(schema, choice)
    yield part


def has_field(schema, path):
    parts = [schema]
    for name in path.replace("[]", ".[]").split("."):
        found = []
        for part in parts:
            for one in resolve(schema, part):
                if name == "[]" and "items" in one:
                    found.append(one["items"])
                if name in one.get("properties", {}):
                    found.append(one["properties"][name])
        parts = found
    return bool(parts)


def main():
    faults, commands, ran, fields = [], [], 0, 0
    # Blocks of commands, and the text below each.
    for block, text in re.findall(r"```sh\n(.*?)```\n(.*?)(?=```sh|\Z)", open(page).read(), re.DOTALL):
        commands = [line for line in block.splitlines() if line]
        schemas = [schema_of(line.split()[1]) for line in commands]
        for path in re.findall(r"`([a-z_]+(?:\[\])?\.[a-z_.\[\]]+)`", text):
            if path.endswith((".md", ".jsonl", ".yaml")):
                continue
            fields += 1
            if not any(has_field(schema, path) for schema in schemas):
                faults.append("no schema of %s has %s" % (" or ".join(line.split()[1] for line in commands), path))
        for line in commands:
            if any(word in line for word in left_out):
                continue
            expected = int((re.findall(r"# exit status (\d+)", line) or [0])[0])
            ended = subprocess.run(line, shell=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100)
            ran += 1
            if ended.returncode != expected:
                faults.append("%s: exit status %d: %s" % (line, ended.returncode, ended.stderr.decode()[:300]))
            try:
                json.loads(ended.stdout)
            except ValueError as wrong:
                faults.append("%s: %s" % (line, wrong))
    if ran < 8 or fields < 30:
        faults.append("only %d commands and %d fields were found" % (ran, fields))
    print("\n".join(faults))
    sys.exit(bool(faults))


main()

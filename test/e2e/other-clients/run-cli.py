"""Runs commands of the AWS CLI in one process, since a start of the CLI takes longer than most commands.

Each line of the input is a list of arguments; each line of the output has the exit code and what the CLI wrote.
"""
import contextlib
import io
import json
import sys

from awscli.clidriver import create_clidriver

for line in sys.stdin:
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = create_clidriver().main(json.loads(line))
        except SystemExit as end:
            code = end.code
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())
    print(json.dumps({"exit": code, "out": texts[0], "err": texts[1]}), flush=True)

"""A folder with files of many kinds, in a repository: what the facts of programs are tried on."""

from __future__ import annotations

import gzip
import json
import sqlite3
import subprocess
import tarfile
import zipfile
from pathlib import Path

_TEXTS = {
    "a.txt": "alpha\nbeta\ngamma\n",
    "b.txt": "beta\ndelta\n",
    "c.csv": "id,name\n1,one\n2,two\n",
    ".env": "TOKEN=abc\n",
    "data.json": json.dumps({"key": [1, 2, 3], "name": "x"}),
    "list.txt": "a.txt\nb.txt\n",
    "names0": "a.txt\0b.txt\0",
    "filter.jq": ".key\n",
    "script.sh": "echo hello\n",
    "script.py": "print('hello')\n",
    "script.js": "console.log('hello')\n",
    "script.pl": "print qq(hello\\n);\n",
    "script.awk": "{ print $1 }\n",
    "script.sed": "s/a/b/\n",
    "script.sql": "select 1;\n",
    "script.tcl": "puts hello\n",
    "Makefile": "all:\n\t@echo made\n\nout.mk:\n\techo x > out.mk\n",
    "main.c": "int main(void) { return 0; }\n",
    "arguments": "-c main.c\n",
    "package.json": '{"name": "p", "version": "1.0.0", "scripts": {"hello": "echo hello"}}\n',
    "change.patch": "--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n-alpha\n+ALPHA\n beta\n gamma\n",
    "change.git": "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n-alpha\n+ALPHA\n beta\n gamma\n",
    "curlrc": "silent\n",
    "form.txt": "field=value\n",
    "hex.txt": "00000000: 6869 0a                                  hi.\n",
    "x.m4": "hello\n",
    "urls.txt": "",
    "sub/c.txt": "gamma\n",
    "sub/deep/d.txt": "delta\n",
    "other/e.txt": "epsilon\n",
    "locked/.keep": "",
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.5)\nproject(p NONE)\n",
    "p.cmake": 'message("hello")\n',
}


def build_world(folder: Path) -> None:
    """Make the folder and everything in it. Takes part in nothing outside of it."""
    for name, text in _TEXTS.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "script.sh").chmod(0o755)
    _archives(folder)
    with sqlite3.connect(folder / "db.sqlite") as database:
        database.execute("create table t (x)")
        database.execute("insert into t values (1)")
    database.close()
    _repository(folder)


def _archives(folder: Path) -> None:
    members = ("a.txt", "b.txt")
    for name in ("a.tar", "a.tgz"):
        with tarfile.open(folder / name, "w:gz" if name == "a.tgz" else "w") as archive:
            for member in members:
                archive.add(folder / member, member)
    with zipfile.ZipFile(folder / "a.zip", "w") as packed:
        for member in members:
            packed.write(folder / member, member)
    (folder / "z.txt.gz").write_bytes(gzip.compress(b"zeta\n"))


def _repository(folder: Path) -> None:
    git = [
        "git", "-c", "user.name=u", "-c", "user.email=u@example.org", "-c", "init.defaultBranch=main",
        "-c", "core.hooksPath=/dev/null", "-c", "commit.gpgsign=false",
    ]  # fmt: skip
    for step in (["init", "-q"], ["config", "user.name", "u"], ["config", "user.email", "u@example.org"], ["add", "."]):
        subprocess.run([*git, *step], cwd=folder, check=True, capture_output=True)
    subprocess.run([*git, "commit", "-qm", "first"], cwd=folder, check=True, capture_output=True)
    (folder / "b.txt").write_text("beta\ndelta\nmore\n", encoding="utf-8")
    subprocess.run([*git, "commit", "-qam", "second"], cwd=folder, check=True, capture_output=True)
    subprocess.run([*git, "branch", "side"], cwd=folder, check=True, capture_output=True)
    (folder / "new.txt").write_text("untracked\n", encoding="utf-8")

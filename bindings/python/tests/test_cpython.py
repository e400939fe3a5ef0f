"""CPython's own tests of the UTF-8 codec, with trust8's decoder in the codec's place.

The interpreter decodes 'utf-8' itself, without asking for a codec. So these tests are read as source, the name 'utf-8' in them
is replaced by that of trust8's codec, and they run like that.
"""

from __future__ import annotations

import ast
import codecs
import importlib.util
import sys
import types
import unittest

import pytest
import trust8
from trust8 import _codecs

NAMES = {"utf-8", "utf8", "UTF-8", "utf_8"}


class Renamed(ast.NodeTransformer):
    """Replaces the name of the codec, and `codecs.utf_8_decode`, in a class."""

    def visit_Constant(self, node):
        return ast.copy_location(ast.Constant(_codecs.UTF_8), node) if node.value in NAMES else node

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if node.attr == "utf_8_decode":
            return ast.copy_location(ast.Name("trust8_utf_8_decode", ast.Load()), node)
        return node


def load(name: str, classes: set[str]) -> types.ModuleType:
    """Return a module of CPython's tests in which these classes use trust8."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        pytest.fail(f"this Python has no {name}")
    with open(spec.origin, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    changed = set()
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name in classes:
            Renamed().visit(node)
            changed.add(node.name)
    assert changed == classes
    ast.fix_missing_locations(tree)
    module = types.ModuleType(name)
    module.__file__ = spec.origin
    module.trust8_utf_8_decode = trust8.utf_8_decode
    sys.modules[f"trust8-{name}"] = module
    exec(compile(tree, spec.origin, "exec"), module.__dict__)
    return module


@pytest.fixture
def counted(monkeypatch):
    """Register the codec, and count how often it decodes."""
    count = [0]
    decode = _codecs.utf_8_decode

    def counting(*arguments):
        count[0] += 1
        return decode(*arguments)

    trust8.register()
    monkeypatch.setattr(_codecs, "utf_8_decode", counting)
    yield count


def run(suite: unittest.TestSuite, least: int) -> None:
    result = unittest.TestResult()
    suite.run(result)
    problems = [text for _, text in result.errors + result.failures]
    assert not problems, problems[0]
    assert result.testsRun - len(result.skipped) >= least


def test_of_codecs(counted):
    module = load("test.test_codecs", {"UTF8Test"})
    assert module.UTF8Test.encoding == _codecs.UTF_8
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(module.UTF8Test)
    run(suite, 13)
    assert counted[0] > 500


def test_of_strings(counted):
    name = "test.test_str" if importlib.util.find_spec("test.test_str") else "test.test_unicode"
    class_name = "StrTest" if name == "test.test_str" else "UnicodeTest"
    module = load(name, {class_name})
    tests = getattr(module, class_name)
    wanted = [
        "test_codecs_utf8",
        "test_utf8_decode_valid_sequences",
        "test_utf8_decode_invalid_sequences",
        "test_issue8271",
        "test_unexpected_end_of_data",
        "test_invalid_cb_for_2bytes_seq",
        "test_invalid_cb_for_3bytes_seq",
        "test_invalid_cb_for_4bytes_seq",
        "test_codecs_errors",
    ]
    there = [test for test in wanted if hasattr(tests, test)]
    assert len(there) >= 8, sorted(name for name in dir(tests) if "utf8" in name)
    run(unittest.TestSuite(map(tests, there)), 8)
    assert counted[0] > 300


def test_the_codec_is_complete():
    trust8.register()
    info = codecs.lookup("trust8-utf-8")
    assert info.name == "trust8-utf-8"
    assert info.incrementaldecoder is trust8.IncrementalDecoder
    assert info.incrementalencoder is trust8.IncrementalEncoder
    assert info.streamreader is trust8.StreamReader
    assert info.streamwriter is trust8.StreamWriter
    assert "é".encode("trust8-utf-8") == b"\xc3\xa9"
    assert b"\xc3\xa9".decode("trust8-utf-8") == "é"
    assert trust8.IncrementalEncoder().encode("é") == b"\xc3\xa9"

"""The examples in the documentation, and in README.md."""

from __future__ import annotations

import doctest
import inspect
from pathlib import Path

import pytest
import trust8
from trust8 import _codecs, _exceptions, arrow


def documented():
    """All that users see, with its documentation."""
    yield "trust8", trust8.__doc__
    yield "trust8.arrow", arrow.__doc__
    for module in [trust8, arrow, _codecs, _exceptions]:
        for name, value in vars(module).items():
            if name.startswith("_") or inspect.ismodule(value) or not callable(value):
                continue
            yield f"{module.__name__}.{name}", value.__doc__
            for method, inner in vars(value).items() if inspect.isclass(value) else []:
                if not method.startswith("_"):
                    yield f"{module.__name__}.{name}.{method}", getattr(inner, "__doc__", None)


EXAMPLES = {name: text for name, text in documented() if text and ">>>" in text}


def run(name: str, text: str) -> int:
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    output: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL).run(test, out=output.append)
    assert not result.failed, "".join(output)
    return result.attempted


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name):
    if name.startswith("trust8.arrow"):
        pytest.importorskip("pyarrow")
    assert run(name, EXAMPLES[name]) > 0


def test_there_are_examples():
    for name in ["is_utf8", "decode", "validate", "errors", "inspect", "diagnose", "repair", "encode", "register", "Part"]:
        assert f"trust8.{name}" in EXAMPLES


def test_readme():
    pytest.importorskip("pyarrow")
    folder = Path(__file__).parent
    path = next(path for path in [folder / "README.md", folder.parent / "README.md"] if path.exists())
    blocks = path.read_text(encoding="utf-8").split("```python\n")[1:]
    assert run("README.md", "\n".join(block.split("```")[0] for block in blocks)) > 5

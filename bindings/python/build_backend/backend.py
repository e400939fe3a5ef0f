"""maturin, which compiles the package, and what to say before: that this is Rust, and how long it takes.

`pip` shows what a backend prints only with `-v` or after a failure. So the sentence goes to the terminal too, if there is one.
"""

import shutil
import sys

import maturin
from maturin import *  # noqa: F403


def _say(sentence):
    print(sentence, file=sys.stderr, flush=True)
    try:
        with open("/dev/tty", "w", encoding="utf-8") as terminal:
            terminal.write(f"\n  {sentence}\n")
    except OSError:
        pass


def _need_cargo():
    if shutil.which("cargo") is None:
        sys.exit("trust8 is compiled from Rust, and there is no cargo on the path: install Rust 1.89 or later, and try again.")


def get_requires_for_build_wheel(config_settings=None):
    _need_cargo()
    return maturin.get_requires_for_build_wheel(config_settings)


def get_requires_for_build_editable(config_settings=None):
    _need_cargo()
    return maturin.get_requires_for_build_editable(config_settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _say("trust8: compiling Rust, which takes about 80 seconds of CPU time")
    # The command is a third of what there is to compile. `-C build-args=` compiles it too.
    config_settings = {"build-args": "--no-default-features", **(config_settings or {})}
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)

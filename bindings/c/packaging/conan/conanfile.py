"""A recipe for Conan 2. It builds the checkout that it lies in; cargo must be on PATH."""

import pathlib
import re
import shutil
import subprocess

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.files import copy

C = pathlib.Path("bindings/c")


class Trust8(ConanFile):
    name = "trust8"
    description = "UTF-8 validation with SIMD and exact errors"
    license = "MIT OR Apache-2.0"
    topics = ("utf-8", "unicode", "simd")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": False}

    @property
    def _checkout(self):
        return pathlib.Path(self.recipe_folder).parents[3]

    def set_version(self):
        self.version = re.search(r'^version = "(.*)"', (self._checkout / C / "Cargo.toml").read_text(), re.M)[1]

    def export(self):
        # In Conan's cache, the recipe has its folders around it, so that it finds the version there.
        copy(self, "Cargo.toml", str(self._checkout / C), str(pathlib.Path(self.export_folder) / C))

    def export_sources(self):
        tracked = ["git", "-C", str(self._checkout), "ls-files", "--cached", "--others", "--exclude-standard"]
        # `copy` would look through the whole checkout for each name.
        for name in subprocess.run(tracked, check=True, capture_output=True, text=True).stdout.splitlines():
            source, to = self._checkout / name, pathlib.Path(self.export_sources_folder, name)
            if source.is_file():
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, to)

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("install.sh packs libraries for systems with ELF")

    def package_id(self):
        # The interface is that of C, and cargo always builds for release.
        del self.info.settings.compiler
        del self.info.settings.build_type

    def build(self):
        self.run(f"'{self.source_folder}/{C}/install.sh' '{self.build_folder}/prefix'",
                 env="conanbuild")

    def package(self):
        built, to = f"{self.build_folder}/prefix", self.package_folder
        copy(self, "LICENSE-*", f"{self.source_folder}/{C}", f"{to}/licenses")
        copy(self, "*", f"{built}/include", f"{to}/include")
        copy(self, "libtrust8.so*" if self.options.shared else "libtrust8.a", f"{built}/lib", f"{to}/lib")

    def package_info(self):
        self.cpp_info.libs = ["trust8"]
        if not self.options.shared:
            self.cpp_info.sharedlinkflags = self.cpp_info.exelinkflags = ["-Wl,--gc-sections"]
        self.cpp_info.set_property("cmake_target_name", "trust8::trust8")
        self.cpp_info.set_property("pkg_config_name", "trust8")

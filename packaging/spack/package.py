# With Spack 1.0 or later, in an unpacked source archive, where a repository of your own (spack repo create) has this file
# as packages/corsika_overlay/package.py:
#   spack dev-build corsika-overlay@0.1.0 mustache=FOLDER
# FOLDER holds kainjow/mustache.hpp, a library of one header.
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class CorsikaOverlay(CMakePackage):
    """Makes CORSIKA 7, the air-shower simulation, faster, without changing a byte of its output."""

    license("BSD-3-Clause")
    version("0.1.0")

    variant("cuda", default=False, description="Also with the CUDA backends")
    variant("mustache", default="/usr/include", values=lambda folder: True, description="Folder of kainjow/mustache.hpp")

    generator("ninja")
    depends_on("c", type=("build", "run"))
    depends_on("cxx", type=("build", "run"))
    depends_on("fortran", type=("build", "run"))
    depends_on("cmake@3.25:", type=("build", "run"))
    for tool in ("binutils", "gmake", "ninja", "perl"):
        depends_on(tool, type=("build", "run"))
    for library in ("cli11", "fmt", "highway", "nlohmann-json", "openssl", "tomlplusplus", "zstd"):
        depends_on(library)
    depends_on("cuda@12:", when="+cuda")

    build_targets = ["tools"]

    def cmake_args(self):
        return [self.define("BUILD_TESTING", False), self.define_from_variant("RANMAR_CUDA", "cuda"),
                self.define("RANMAR_OPENCL", False), self.define_from_variant("MUSTACHE_INCLUDE", "mustache")]

    def install(self, spec, prefix):
        cmake("--install", self.build_directory, "--component", "overlay")

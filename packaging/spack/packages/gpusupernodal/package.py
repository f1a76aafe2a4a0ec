"""Spack's recipe. Until it is part of Spack's own packages:
  spack repo add packaging/spack
  spack install gpusupernodal@main +cuda cuda_arch=90 +petsc
"""

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Gpusupernodal(CMakePackage, CudaPackage):
    """Supernodal sparse solver (Cholesky, LDLT, LU, conjugate gradients) for NVIDIA GPUs and hosts, with a PETSc plugin, Eigen
    classes, a C interface and a Python package."""

    license("MIT", checked_by="gpusupernodal")

    # The source is this checkout: `spack dev-build gpusupernodal@main`, or `spack develop -p . gpusupernodal@main`.
    version("main", branch="main", no_cache=True)

    variant("petsc", default=False, description="Build the plugin that PETSc programs load by name")
    variant("eigen", default=True, description="Install the classes for Eigen")
    variant("metis", default=True, description="Offer the ordering metis")
    variant("cli", default=True, description="Build the command gpusupernodal")
    variant("python", default=False, description="Install the Python package")
    variant("shared", default=True, description="Build a shared library")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build", when="+petsc")

    depends_on("tbb")
    depends_on("cuda@12:", when="+cuda")
    depends_on("fmt@8:", type="build")
    depends_on("nlohmann-json@3:", type="build")
    depends_on("metis@5:", when="+metis")
    depends_on("eigen@3.4:", when="+eigen")
    depends_on("cli11@2:", type="build", when="+cli")
    depends_on("zlib-api", when="+cli")
    depends_on("petsc@3.18:3.26 +shared", when="+petsc")
    with when("+python"):
        extends("python")
        depends_on("python@3.9:", type=("build", "run"))
        depends_on("py-numpy", type=("build", "run"))
        depends_on("py-scipy", type=("build", "run"))

    conflicts("%gcc@:10", msg="gpusupernodal needs C++20: GCC 11 or newer, or clang 14 or newer")
    conflicts("~shared", when="+petsc", msg="PETSc loads the plugin and the library at run time: +petsc needs +shared")
    conflicts("~shared", when="+python", msg="Python loads the library at run time: +python needs +shared")
    conflicts("cuda_arch=none", when="+cuda", msg="Name the architecture of your GPU: cuda_arch=90 for an H100 or H200")
    requires("target=x86_64:", msg="gpusupernodal is tested on x86-64 only")

    def cmake_args(self):
        args = [
            # Some systems have lib64; petsc_plugin below expects lib.
            self.define("CMAKE_INSTALL_LIBDIR", "lib"),
            self.define_from_variant("GPUSUPERNODAL_CUDA", "cuda"),
            # PETSc's scalars decide which of the two plugins is built.
            self.define("GPUSUPERNODAL_PETSC", self.spec.satisfies("+petsc ^petsc~complex")),
            self.define("GPUSUPERNODAL_PETSC_COMPLEX", self.has_complex_petsc),
            self.define("GPUSUPERNODAL_COST_FILES", True),
            self.define_from_variant("GPUSUPERNODAL_EIGEN", "eigen"),
            self.define_from_variant("GPUSUPERNODAL_METIS", "metis"),
            self.define_from_variant("GPUSUPERNODAL_CLI", "cli"),
            self.define_from_variant("GPUSUPERNODAL_PYTHON", "python"),
            self.define_from_variant("GPUSUPERNODAL_SHARED", "shared"),
            self.define("GPUSUPERNODAL_EXAMPLES", False),
            self.define("GPUSUPERNODAL_TESTS", False),
        ]
        if self.has_complex_petsc:
            args.append(self.define("GPUSUPERNODAL_PETSC_COMPLEX_DIR", join_path(self.spec["petsc"].prefix.lib, "pkgconfig")))
        if self.spec.satisfies("+cuda"):
            args.append(self.define("GPUSUPERNODAL_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args

    @property
    def has_complex_petsc(self):
        return self.spec.satisfies("+petsc ^petsc+complex")

    @property
    def petsc_plugin(self):
        """Path for PETSc's option -dll_append."""
        scalars = "_complex" if self.has_complex_petsc else ""
        return join_path(self.prefix.lib, f"libgpusupernodal_petsc{scalars}.so")

    def setup_run_environment(self, env):
        if self.spec.satisfies("+petsc"):
            env.set("GPUSUPERNODAL_PETSC_PLUGIN", self.petsc_plugin)

    def test_solve(self):
        """solve a generated system"""
        if self.spec.satisfies("~cli"):
            raise SkipTest("the command gpusupernodal was not built")
        command = which(self.prefix.bin.gpusupernodal)
        command("solve", "lap3d:10", "--backend", "host")

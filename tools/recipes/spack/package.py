from spack.package import *


class Kompakt(CMakePackage, CudaPackage):
    """Error-bounded lossy compression of scientific fields, on Kokkos."""

    homepage = "ADDRESS"
    url = "ADDRESS/archive/v0.2.0.tar.gz"
    git = "ADDRESS"

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("openmp", default=True, description="Kernels for threads of the host")
    variant("c", default=True, description="The C library")
    variant("fortran", default=False, description="The Fortran module", when="+c")
    variant("hdf5", default=True, description="The HDF5 filter", when="+c")
    variant("mpi", default=False, description="Messages and files of many ranks")
    variant("cli", default=True, description="The program kompakt, which reads netCDF and HDF5")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.23:", type="build")
    depends_on("pkgconfig", type="build", when="+cli")

    # The C library has a Kokkos of its own inside.
    depends_on("kokkos@4.7:5 ~shared +pic +serial cxxstd=20")
    depends_on("kokkos +openmp", when="+openmp")
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos +cuda +wrapper cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
    depends_on("mpi", when="+mpi")
    depends_on("hdf5@1.10: +hl", when="+cli")
    depends_on("netcdf-c", when="+cli")
    depends_on("cli11", when="+cli")
    depends_on("nlohmann-json@3.11:", when="+cli")

    conflicts("cuda_arch=none", when="+cuda", msg="kompakt needs the architecture of the GPU: cuda_arch=90")

    def cmake_args(self):
        return [
            self.define_from_variant("KOMPAKT_ENABLE_C", "c"),
            self.define_from_variant("KOMPAKT_ENABLE_FORTRAN", "fortran"),
            self.define_from_variant("KOMPAKT_ENABLE_HDF5", "hdf5"),
            self.define_from_variant("KOMPAKT_ENABLE_MPI", "mpi"),
            self.define_from_variant("KOMPAKT_ENABLE_CLI", "cli"),
            self.define_from_variant("KOMPAKT_REQUIRE_CUDA", "cuda"),
            self.define_from_variant("KOMPAKT_REQUIRE_OPENMP", "openmp"),
            self.define("KOMPAKT_ENABLE_ADIOS2", False),
            self.define("KOMPAKT_ENABLE_PYTHON", False),
            self.define("KOMPAKT_ENABLE_UNIT_TESTS", False),
            self.define("KOMPAKT_ENABLE_PERF_TESTS", False),
            self.define("KOMPAKT_ENABLE_TOOLS", False),
            self.define("KOMPAKT_ENABLE_EXAMPLES", False),
        ]

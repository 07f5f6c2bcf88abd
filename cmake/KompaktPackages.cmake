# Packages of Debian, made by `cpack -G DEB` in the build of the preset packages: one for each component of what is installed.
set(KOMPAKT_HDF5_PLUGIN_FOLDER "${CMAKE_INSTALL_LIBDIR}/hdf5/plugin")
if(NOT KOMPAKT_ENABLE_PACKAGES)
  return()
endif()
# Where Debian's HDF5 looks without being told.
set(KOMPAKT_HDF5_PLUGIN_FOLDER "${CMAKE_INSTALL_LIBDIR}/hdf5/serial/plugins")
# A Kokkos of this machine is none of theirs.
set(KOMPAKT_KOKKOS_HINT "")

# kompakt_package(COMPONENT NAME SECTION TEXT [DEPENDS ...] [RECOMMENDS ...]): a package, with its licence and changes. Lines of the
# text are shorter than 80 letters.
function(kompakt_package component name section text)
  cmake_parse_arguments(PARSE_ARGV 4 arg "" "" "DEPENDS;RECOMMENDS")
  string(TOUPPER "${component}" upper)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME "${name}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION "${section}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${text}" PARENT_SCOPE)
  list(JOIN arg_DEPENDS ", " depends)
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  list(JOIN arg_RECOMMENDS ", " recommends)
  set(CPACK_DEBIAN_${upper}_PACKAGE_RECOMMENDS "${recommends}" PARENT_SCOPE)
  set(documents "${CMAKE_INSTALL_DATADIR}/doc/${name}")
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${documents}" RENAME copyright COMPONENT ${component})
  install(FILES "${PROJECT_BINARY_DIR}/changelog.gz" "${PROJECT_BINARY_DIR}/changelog.Debian.gz" DESTINATION "${documents}"
    COMPONENT ${component})
endfunction()

# Of the day that the sources are of, if SOURCE_DATE_EPOCH says so: two builds then make the same bytes.
string(TIMESTAMP day "%Y-%m-%d" UTC)
string(TIMESTAMP date "%a, %d %b %Y 00:00:00 +0000" UTC)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(version "${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")
set(contact "The kompakt authors <kompakt@localhost>")
file(WRITE "${PROJECT_BINARY_DIR}/changelog.Debian" "kompakt (${version}) unstable; urgency=medium\n\n"
  "  * Version ${PROJECT_VERSION}; changelog.gz lists the changes.\n\n -- ${contact}  ${date}\n")
# kompakt_gzip(FILE OUT)
function(kompakt_gzip file out)
  file(ARCHIVE_CREATE OUTPUT "${out}" PATHS "${file}" FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9 MTIME "${day}")
endfunction()
kompakt_gzip("${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${PROJECT_BINARY_DIR}/changelog.gz")
kompakt_gzip("${PROJECT_BINARY_DIR}/changelog.Debian" "${PROJECT_BINARY_DIR}/changelog.Debian.gz")
# What tells the dynamic linker that there is a new library.
file(WRITE "${PROJECT_BINARY_DIR}/triggers" "activate-noawait ldconfig\n")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME kompakt)
set(CPACK_PACKAGE_VENDOR kompakt)
set(CPACK_PACKAGE_CONTACT "${contact}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "error-bounded compression of scientific fields")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_KOMPAKT-LIB_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/triggers")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/lib")
set(CPACK_COMPONENTS_ALL "")

set(same "(= ${version})")
kompakt_package(kompakt-program kompakt science "The program. It compresses, inspects, compares and restores raw, NumPy, netCDF
and HDF5 files. No value is off by more than the bound that the user gives."
  RECOMMENDS zlib1g)
kompakt_package(kompakt-lib libkompakt-c0 libs "The shared library for programs in C and Fortran.")
kompakt_package(kompakt-dev libkompakt-dev libdevel "Headers, static libraries, and files for CMake and pkg-config. The interface of
C++ also needs Kokkos 4.7 or newer."
  DEPENDS "libkompakt-c0 ${same}")
kompakt_package(kompakt-hdf5 hdf5-filter-kompakt science "The HDF5 filter: with it, whatever reads and writes HDF5 and netCDF-4 files
reads and writes compressed datasets.")

# Of the whole build; called when all targets are there.
macro(kompakt_close_packages)
  # Debian's HDF5 for MPI looks in a folder of its own.
  set(link "${PROJECT_BINARY_DIR}/openmpi_plugin/libH5Zkompakt.so")
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/openmpi_plugin")
  file(CREATE_LINK ../../serial/plugins/libH5Zkompakt.so "${link}" SYMBOLIC)
  install(FILES "${link}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/hdf5/openmpi/plugins" COMPONENT kompakt-hdf5)
  if(TARGET kompakt_python)
    math(EXPR next "${Python_VERSION_MINOR} + 1")
    kompakt_package(kompakt-python python3-kompakt python
      "The Python package, for NumPy and as codec of Zarr, xarray, numcodecs and h5py."
      DEPENDS "python3 (>= ${Python_VERSION_MAJOR}.${Python_VERSION_MINOR})" "python3 (<< ${Python_VERSION_MAJOR}.${next})" python3-numpy
        "hdf5-filter-kompakt ${same}")
    set(modules lib/python3/dist-packages)
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/python/src/kompakt" DESTINATION "${modules}" COMPONENT kompakt-python
      PATTERN __pycache__ EXCLUDE)
    install(TARGETS kompakt_python DESTINATION "${modules}/kompakt" COMPONENT kompakt-python)
    install(DIRECTORY "${PROJECT_BINARY_DIR}/python/kompakt-${PROJECT_VERSION}.dist-info" DESTINATION "${modules}"
      COMPONENT kompakt-python)
    # The filter is that of its own package.
    file(RELATIVE_PATH plugin "/usr/${modules}/kompakt/hdf5" "/usr/${KOMPAKT_HDF5_PLUGIN_FOLDER}")
    file(CREATE_LINK "${plugin}" "${PROJECT_BINARY_DIR}/python_plugin" SYMBOLIC)
    install(FILES "${PROJECT_BINARY_DIR}/python_plugin" DESTINATION "${modules}/kompakt/hdf5" RENAME plugin COMPONENT kompakt-python)
  endif()
  include(CPack)
endmacro()

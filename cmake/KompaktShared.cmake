# Whether a shared library can hold a Kokkos of its own: leaves KOMPAKT_CAN_SHARE, and if not the reason in
# KOMPAKT_CANNOT_SHARE. Asked anew at each configuration, because a Kokkos may be built again in its place.
set(KOMPAKT_CANNOT_SHARE "")
get_target_property(type Kokkos::kokkoscore TYPE)
if(NOT type STREQUAL "STATIC_LIBRARY")
  set(KOMPAKT_CANNOT_SHARE "the Kokkos in ${Kokkos_DIR} is itself a shared library")
else()
  unset(KOMPAKT_KOKKOS_IS_PIC CACHE)
  # Kokkos's headers are not needed to ask for its objects.
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/kokkos_is_pic.cpp" @ONLY CONTENT
    "namespace Kokkos { void initialize(int&, char**); }\nvoid start(int& n, char** a) { Kokkos::initialize(n, a); }\n")
  try_compile(KOMPAKT_KOKKOS_IS_PIC "${PROJECT_BINARY_DIR}/kokkos_is_pic"
    "${PROJECT_BINARY_DIR}/kokkos_is_pic.cpp"
    LINK_LIBRARIES Kokkos::kokkos LINK_OPTIONS -shared
    CMAKE_FLAGS -DCMAKE_POSITION_INDEPENDENT_CODE=ON OUTPUT_VARIABLE output)
  file(WRITE "${PROJECT_BINARY_DIR}/kokkos_is_pic.log" "${output}")
  if(NOT KOMPAKT_KOKKOS_IS_PIC)
    string(CONCAT KOMPAKT_CANNOT_SHARE "the Kokkos in ${Kokkos_DIR} is not position independent: call scripts/setup, or "
      "build yours with -DCMAKE_POSITION_INDEPENDENT_CODE=ON (the linker's words are in kokkos_is_pic.log)")
  endif()
endif()
if(KOMPAKT_CANNOT_SHARE)
  set(KOMPAKT_CAN_SHARE FALSE)
else()
  set(KOMPAKT_CAN_SHARE TRUE)
endif()

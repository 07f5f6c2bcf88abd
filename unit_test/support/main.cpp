#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

// Kokkos takes its own arguments (--kokkos-num-threads=3) from what GoogleTest leaves.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  Kokkos::initialize(argc, argv);
  int const result = RUN_ALL_TESTS();
  Kokkos::finalize();
  return result;
}

#ifndef KOMPAKT_UNIT_TEST_SUPPORT_TOOLS_RECORDER_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_TOOLS_RECORDER_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <set>
#include <string>
#include <vector>

namespace kompakt::test {

/// What Kokkos Tools reports while one of these lives. One at a time.
class ToolsRecorder {
 public:
  ToolsRecorder() {
    current() = this;
    using namespace Kokkos::Tools::Experimental;
    set_allocate_data_callback(
        [](Kokkos_Profiling_SpaceHandle, char const* label, void const*, std::uint64_t size) {
          if (size == 0) return;  // Kokkos announces an empty team scratch pool at each launch
          current()->allocations.push_back(label + (" of " + std::to_string(size)) + " bytes");
          current()->allocated_bytes += size;
        });
    set_begin_parallel_for_callback([](char const* label, std::uint32_t, std::uint64_t*) {
      current()->kernels.push_back(label);
    });
    set_begin_parallel_scan_callback([](char const* label, std::uint32_t, std::uint64_t*) {
      current()->kernels.push_back(label);
    });
    set_begin_parallel_reduce_callback([](char const* label, std::uint32_t, std::uint64_t*) {
      current()->kernels.push_back(label);
    });
    set_push_region_callback([](char const* label) { current()->regions.insert(label); });
    set_begin_fence_callback([](char const* label, std::uint32_t device, std::uint64_t*) {
      // Kokkos fences around regions for the sake of tools that ask for it, as this one must.
      std::string const name(label);
      if (name.find("Tool Fence") != std::string::npos) return;
      current()->fences.push_back(name);
      bool const of_all_instances = identifier_from_devid(device).instance_id == 0;
      if (of_all_instances) current()->global_fences.push_back(name);
    });
  }
  ~ToolsRecorder() {
    using namespace Kokkos::Tools::Experimental;
    set_allocate_data_callback(nullptr);
    set_begin_parallel_for_callback(nullptr);
    set_begin_parallel_scan_callback(nullptr);
    set_begin_parallel_reduce_callback(nullptr);
    set_push_region_callback(nullptr);
    set_begin_fence_callback(nullptr);
    current() = nullptr;
  }
  ToolsRecorder(ToolsRecorder const&) = delete;
  ToolsRecorder& operator=(ToolsRecorder const&) = delete;

  std::vector<std::string> allocations, kernels, fences;
  std::vector<std::string>
      global_fences;  ///< of them, those that wait for all instances of a space
  std::set<std::string> regions;
  std::uint64_t allocated_bytes = 0;

 private:
  static ToolsRecorder*& current() {
    static ToolsRecorder* recorder = nullptr;
    return recorder;
  }
};

/// Fails, naming it, for a kernel, an allocation or a fence that does not say whose it is. Those inside of Kokkos keep
/// their names.
inline void expect_labels_of_the_library(ToolsRecorder const& recorder) {
  for (auto const& label : recorder.kernels) {
    bool const own = label.find("kompakt::") != std::string::npos || label.starts_with("Kokkos::");
    EXPECT_TRUE(own) << "kernel " << label;
  }
  for (auto const& label : recorder.allocations) {
    bool const own = label.starts_with("kompakt::") || label.starts_with("Kokkos");
    EXPECT_TRUE(own) << "allocation " << label;
  }
  for (auto const& label : recorder.fences) {
    EXPECT_EQ(label.find("Unnamed"), std::string::npos) << "fence " << label;
  }
}

/// Fails, naming one, if anything has waited for all instances of a space.
inline void expect_no_global_fence(ToolsRecorder const& recorder) {
  EXPECT_TRUE(recorder.global_fences.empty()) << recorder.global_fences.front();
}

/// Fails if the second pass waits for anything, or takes memory.
template <class Pass, class Finish>
void expect_steady_pass(Pass const& pass, Finish const& finish) {
  pass();
  finish();
  ToolsRecorder const recorder;
  pass();
  EXPECT_TRUE(recorder.fences.empty()) << recorder.fences.front();
  EXPECT_TRUE(recorder.allocations.empty()) << recorder.allocations.front();
  finish();
  expect_no_global_fence(recorder);
}

}  // namespace kompakt::test

#endif

#include "failing_new.hpp"
#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

// nvcc takes operator new for a function of devices too, which cannot be replaced.
#ifndef __CUDACC__

namespace {

thread_local long allocations_left = -1;  // below 0: as many as there is memory for

constexpr std::size_t small = 200;

bool fails(std::size_t bytes) {
  if (allocations_left < 0 || bytes < small) return false;
  return allocations_left == 0 || allocations_left-- == 0;
}
void* allocated(std::size_t bytes, std::size_t alignment) noexcept {
  if (fails(bytes)) return nullptr;
  return std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
}
void* required(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
constexpr std::size_t standard = alignof(std::max_align_t);

}  // namespace

long kompakt::test::fail_after(long allocations) {
  return std::exchange(allocations_left, allocations);
}

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): those that the language has
void* operator new(std::size_t n) { return required(allocated(n, standard)); }
void* operator new[](std::size_t n) { return required(allocated(n, standard)); }
void* operator new(std::size_t n, std::nothrow_t const&) noexcept { return allocated(n, standard); }
void* operator new[](std::size_t n, std::nothrow_t const&) noexcept {
  return allocated(n, standard);
}
void* operator new(std::size_t n, std::align_val_t a) {
  return required(allocated(n, static_cast<std::size_t>(a)));
}
void* operator new(std::size_t n, std::align_val_t a, std::nothrow_t const&) noexcept {
  return allocated(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::nothrow_t const&) noexcept { std::free(p); }
void operator delete[](void* p, std::nothrow_t const&) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t, std::nothrow_t const&) noexcept { std::free(p); }
// NOLINTEND(readability-inconsistent-declaration-parameter-name)

#endif

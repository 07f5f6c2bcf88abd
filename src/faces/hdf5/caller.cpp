#include "abi.hpp"
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>

// For the plugin, which is linked to no HDF5: finds the one that called. The first HDF5 of the process would be wrong
// where there are several, as in a Python that has imported h5py and netCDF4.

namespace kompakt::hdf5 {

namespace {

/// A function of the object that begins at `base`, not of one that it depends on.
void* function_in(void* object, void const* base, char const* name) {
  void* const function = dlsym(object, name);
  Dl_info where{};
  bool const own = function != nullptr && dladdr(function, &where) != 0 && where.dli_fbase == base;
  return own ? function : nullptr;
}

/// All functions, or nullptr if the object keeps one to itself.
std::unique_ptr<Functions> functions_in(void* object, void const* base) {
  auto functions = std::make_unique<Functions>();
  bool complete = true;
#define KOMPAKT_HDF5_LOOK_UP(name, result, parameters)                                             \
  functions->name = reinterpret_cast<decltype(functions->name)>(function_in(object, base, #name)); \
  complete = complete && functions->name != nullptr;
  KOMPAKT_HDF5_FUNCTIONS(KOMPAKT_HDF5_LOOK_UP)
#undef KOMPAKT_HDF5_LOOK_UP
  return complete ? std::move(functions) : nullptr;
}

std::unique_ptr<Functions> look_up(Dl_info const& where) {
  // Never closed again, so that the functions stay. The program itself goes by no name.
  void* object = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (object == nullptr) object = dlopen(nullptr, RTLD_LAZY);
  return object == nullptr ? nullptr : functions_in(object, where.dli_fbase);
}

}  // namespace

Functions const* functions_of(void const* caller) noexcept {
  try {
    static std::mutex mutex;
    static std::map<void const*, std::unique_ptr<Functions>> found;  // by where an object begins
    Dl_info where{};
    if (dladdr(caller, &where) == 0) return nullptr;
    std::lock_guard const lock(mutex);
    auto const [entry, is_new] = found.try_emplace(where.dli_fbase);
    if (is_new) entry->second = look_up(where);
    return entry->second.get();
  } catch (...) {  // no memory
    return nullptr;
  }
}

}  // namespace kompakt::hdf5

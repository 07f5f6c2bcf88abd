#include "library.hpp"
#include <dlfcn.h>
#include <filesystem>
#include <kompakt/error.hpp>

#ifdef KOMPAKT_FILES_FILTER
extern "C" void const* H5PLget_plugin_info();  // as a plugin shows it
#endif

namespace kompakt::files {

namespace {

[[noreturn]] void refuse(std::string const& format, std::string const& reason) {
  std::string const problem = "the library of " + format + " cannot be used: " + reason;
  // As the loader of glibc says it.
  bool const lacks_memory = reason.find("failed to map segment") != std::string::npos ||
                            reason.find("cannot allocate memory") != std::string::npos;
  if (lacks_memory) throw Error(Status::device, problem, "it needs more memory");
  throw Error(Status::bad_argument, problem,
              "install the version that this program was built with");
}

std::string last_error() {
  char const* const error = ::dlerror();
  return error == nullptr ? "unknown error" : error;
}

}  // namespace

// Global, so that filters find the HDF5 that called them, as in a program that is linked to it.
Library::Library(std::string const& path, std::string const& format)
    : m_handle(::dlopen(path.c_str(), RTLD_LAZY | RTLD_GLOBAL)), m_format(format) {
  std::string const name = std::filesystem::path(path).filename().string();
  if (m_handle == nullptr) m_handle = ::dlopen(name.c_str(), RTLD_LAZY | RTLD_GLOBAL);
  if (m_handle == nullptr) refuse(format, last_error());
}

void* Library::symbol(char const* name) const {
  void* const found = ::dlsym(m_handle, name);
  if (found == nullptr) refuse(m_format, last_error());
  return found;
}

std::string path_for_library(OutputFile const& output, std::string const& path,
                             std::string const& format) {
  if (auto const target = output.partial_path()) return std::filesystem::absolute(*target).string();
  throw Error(Status::io,
              "cannot write '" + path + "': it is a pipe or a device, and a file of " + format +
                  " cannot be written in order",
              "name a file");
}

void const* hdf5_filter() noexcept {
#ifdef KOMPAKT_FILES_FILTER
  return H5PLget_plugin_info();
#else
  return nullptr;
#endif
}

std::unique_lock<std::mutex> lock_libraries() {
  static std::mutex mutex;
  return std::unique_lock(mutex);
}

}  // namespace kompakt::files

#include "loader.hpp"
#include <charconv>
#include <dlfcn.h>
#include <kompakt/error.hpp>
#include <link.h>
#include <string_view>

namespace kompakt::adios2 {

namespace {

/// The name that a library was linked with, which has its version; empty for a program.
std::string_view soname_of(link_map const& library) {
  char const* strings = nullptr;
  ElfW(Xword) offset = 0;
  for (ElfW(Dyn) const* entry = library.l_ld; entry != nullptr && entry->d_tag != DT_NULL;
       ++entry) {
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<char const*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_SONAME) offset = entry->d_un.d_val;
  }
  return strings == nullptr || offset == 0 ? "" : strings + offset;
}

/// Of "libadios2_core.so.2.12"; between core and .so a build may have a suffix of its own.
std::optional<Version> version_of(std::string_view soname) {
  constexpr std::string_view library = "libadios2_core", suffix = ".so.";
  std::size_t const at = soname.rfind(suffix);
  if (!soname.starts_with(library) || at == soname.npos) return std::nullopt;
  char const* const end = soname.data() + soname.size();
  Version version;
  auto const major = std::from_chars(soname.data() + at + suffix.size(), end, version.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return std::nullopt;
  auto const minor = std::from_chars(major.ptr + 1, end, version.minor);
  if (minor.ec != std::errc()) return std::nullopt;
  return version;
}

std::string text_of(Version const& version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

}  // namespace

Loader loader_of(void const* caller) {
  Dl_info where{};
  void* library = nullptr;
  if (dladdr1(caller, &where, &library, RTLD_DL_LINKMAP) == 0 || library == nullptr) return {};
  return {where.dli_fname, version_of(soname_of(*static_cast<link_map const*>(library)))};
}

void require_loader(Loader const& loader, Version const& built_for, bool vouched) {
  if (loader.version ? *loader.version == built_for : vouched) return;
  std::string const by = loader.file.empty() ? "code of no file" : loader.file;
  std::string const problem =
      "this operator was built for ADIOS2 " + text_of(built_for) + ", but is loaded by ";
  if (loader.version) {
    throw Error(Status::unsupported_version,
                problem + "ADIOS2 " + text_of(*loader.version) + " (" + by + ")",
                "build kompakt with the headers of that version, which must be 2.12 or newer");
  }
  throw Error(
      Status::unsupported_version,
      problem + by + ", which is not ADIOS2's library libadios2_core and does not tell its version",
      "only if you know it to be the same, give the operator the parameter interface=2");
}

}  // namespace kompakt::adios2

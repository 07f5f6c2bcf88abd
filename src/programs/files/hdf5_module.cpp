#include "hdf5_module.hpp"
#include "format_module.hpp"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#ifdef KOMPAKT_FILES_FILTER
#include <kompakt/h5z_values.h>
#include <kompakt/option_keys.hpp>
#endif

namespace kompakt::files {

namespace {

constexpr ModuleName hdf5_module{KOMPAKT_HDF5_MODULE, "kompakt_hdf5_module", "HDF5", "libhdf5-dev"};

Hdf5Module const& hdf5_for(std::string const& path) {
  return functions_of<Hdf5Module>(hdf5_module, path);
}

[[noreturn]] void refuse_without_filter(std::string const& path) {
  throw_not_built(path, "HDF5 and its filter", hdf5_module.package);
}

}  // namespace

bool opens_as_hdf5(std::string const& path) {
  return hdf5_module.is_built() && format_of_bytes(path, Format::hdf5) == Format::hdf5;
}

bool is_netcdf4(std::string const& path) {
  return hdf5_module.is_built() && hdf5_for(path).is_netcdf4(path);
}

std::unique_ptr<FieldFile> open_hdf5(std::string const& path) {
  InputFile input(path);  // what cannot be opened says so before HDF5 does
  return hdf5_for(path).open(std::move(input));
}

std::unique_ptr<FieldWriter> write_hdf5(std::string const& path, OutputFile file) {
  return hdf5_for(path).write(path, std::move(file));
}

CopiedFile copy_with_filter(InputFile const& input, OutputFile const& output,
                            std::string const& label,
                            std::vector<FilteredVariable> const& variables,
                            std::uint64_t memory_bytes) {
  std::string const path = input.path().string();
  if (hdf5_filter() == nullptr) refuse_without_filter(path);
  return hdf5_for(path).copy(input, output, label, variables, memory_bytes);
}

#ifdef KOMPAKT_FILES_FILTER
FilterWords filter_words(Options options, std::optional<double> padding) {
  FillValue& fill = options.fill;
  if (padding && !std::isnan(*padding) && fill.others_count < FillValue::max_others) {
    fill = fill.with(*padding);
  }
  kompakt_options given = kompakt_options_default();
  if (kompakt_options_set_text(&given, text_of(options).c_str()) != KOMPAKT_OK) {
    throw Error(Status::bad_argument, kompakt_last_problem(), kompakt_last_advice());
  }
  given.pipeline = static_cast<kompakt_pipeline>(options.pipeline);  // also one that is left open
  given.goal = KOMPAKT_GOAL_NONE;
  std::vector<unsigned> words(KOMPAKT_H5Z_MAX_WORDS);
  words.resize(kompakt_h5z_words(&given, words.data()));
  return {KOMPAKT_H5Z_FILTER_ID, words};
}
#else
FilterWords filter_words(Options, std::optional<double>) { refuse_without_filter("words"); }
#endif

void copy_bytes(InputFile const& input, OutputFile const& output, std::string const& label) {
  std::string const target = path_for_library(output, label, "HDF5");
  std::uint64_t const bytes = input.known_bytes();
  std::error_code error;
  std::filesystem::resize_file(target, bytes, error);
  if (error) refuse_writing(label, error.message());
  copy_front(input, target, bytes, label);
}

void copy_front(InputFile const& input, std::string const& target, std::uint64_t bytes,
                std::string const& label) {
  InputFile from = input.again();
  std::fstream to(target, std::ios::in | std::ios::out | std::ios::binary);
  std::vector<std::byte> part(std::min<std::uint64_t>(bytes, std::uint64_t{1} << 20));
  for (std::uint64_t at = 0; at < bytes; at += part.size()) {
    part.resize(std::min<std::uint64_t>(part.size(), bytes - at));
    from.read_at(at, part);
    to.write(reinterpret_cast<char const*>(part.data()), static_cast<std::streamsize>(part.size()));
  }
  to.flush();
  if (!to) refuse_writing(label, "");
}

void refuse_writing(std::string const& label, std::string const& reason) {
  throw Error(Status::io, "cannot write '" + label + "': " + (reason.empty() ? "" : reason + "; ") +
                              "free some space or choose another place");
}

}  // namespace kompakt::files

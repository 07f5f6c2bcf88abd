#include "compress_arguments.hpp"
#include <CLI/CLI.hpp>
#include <cli/parts/report.hpp>
#include <kompakt/option_keys.hpp>

namespace kompakt::cli {

void CompressArguments::add_to(CLI::App& verb) {
  verb.add_option("-i", input,
                  "field: raw (values only, little-endian; - for standard input), .npy, "
                  "FILE.npz:NAME, FILE.nc:NAME, "
                  "FILE.h5:NAME")
      ->type_name("FILE");
  verb.add_option("files", files,
                  "instead of -i: a raw field, or .npy, .npz, netCDF and HDF5 files; all their "
                  "variables go into an archive")
      ->type_name("FILE");
  field.add_to(verb);
  bound.add_to(verb);
  verb.add_option("--bound", named_bounds,
                  "bound of matching variables, such as 'T*=r2r:1e-4' or time=lossless")
      ->allow_extra_args(false)
      ->type_name("NAME=MODE:BOUND");
  verb.add_option("--skip", skipped, "leave out matching variables, such as 'mask*'")
      ->allow_extra_args(false)
      ->type_name("NAME");
  coding.add_to(verb);
  OptionKey const& radius = option_key("radius");
  add_read(verb, "--radius",
           std::string(radius.help) + ", " + std::to_string(static_cast<int>(radius.least)) +
               " to " + std::to_string(static_cast<int>(radius.most)),
           [this, &radius](std::string const& word) {
             auto const least = static_cast<std::uint64_t>(radius.least);
             auto const most = static_cast<std::uint64_t>(radius.most);
             coding.by_key["radius"] = std::to_string(parse_count("--radius", word, least, most));
           })
      ->default_str(std::to_string(Options().radius))
      ->type_name("N");
  output.add_to(verb);
  memory.add_to(verb, "larger fields are compressed slab by slab");
  exec.add_to(verb);
  add_report_detail(verb);
  verb.add_flag("--json", json, "report as JSON");
}

}  // namespace kompakt::cli

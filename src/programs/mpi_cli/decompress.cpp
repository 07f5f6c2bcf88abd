#include "verbs.hpp"
#include <chrono>
#include <cli/parts/arguments.hpp>
#include <cli/parts/codec.hpp>
#include <cli/parts/output.hpp>
#include <files/field_file.hpp>
#include <kompakt/mpi_agree.hpp>
#include <kompakt/mpi_files.hpp>
#include <kompakt/slabs.hpp>
#include <memory>
#include <mpi/communicator.hpp>
#include <mpi/shared_file.hpp>
#include <optional>

namespace kompakt::cli {

namespace {

struct MpiDecompressArguments {
  std::string input, output;
  std::optional<std::string> name;
  SlabArguments slab;
  ExecArguments exec;
  OverwriteArguments overwrite;
};

void require_raw(std::string const& output) {
  bool const raw = files::output_name(output).format == files::Format::raw;
  if (raw && output != "-") return;
  throw Error(Status::bad_argument, "-o " + output + ": kompakt-mpi writes raw files alone",
              "'kompakt decompress' others");
}

// Each rank writes its slabs where they belong.
void write_slabs(Ranks const& ranks, mpi::SharedInput& input, Slabs const& slabs, AnyCodec& codec,
                 mpi::SharedFile& file) {
  std::vector<std::byte> values;
  for (std::uint64_t round = 0; round < ranks.rounds(slabs.count()); ++round) {
    std::uint64_t const slab = ranks.slab(round);
    mpi::together(ranks.comm, [&] {
      if (slab >= slabs.count()) return;
      FieldShape const shape = slabs.shape(slab);
      make_room(values, shape.bytes(), "field");
      input.read(codec, slabs.box(slab), FieldData{values.data(), shape}, MemoryOf::host);
      file.write(slabs.values_before(slab) * size_of(shape.dtype),
                 std::span(values).first(shape.bytes()));
    });
  }
}

int decompress(MpiDecompressArguments const& arguments) {
  Ranks const ranks;
  mpi::Communicator const comm(ranks.comm);
  ExecChoice exec;
  std::uint64_t slab_bytes = 0;
  mpi::together(comm, [&] {
    exec = arguments.exec.choice();
    slab_bytes = arguments.slab.given();
    require_raw(arguments.output);
  });
  mpi::SharedInput input(comm, arguments.input, arguments.name.value_or(""));
  FieldShape const& shape = input.info().shape;
  std::optional<OutputFile> output;  // of rank 0
  mpi::together(comm, [&] {
    if (ranks.rank != 0) return;
    arguments.overwrite.require_writable(arguments.output, arguments.input);
    require_space(arguments.output, shape.bytes());
    output.emplace(arguments.overwrite.open(arguments.output));
    if (!output->partial_path()) {
      throw Error(Status::io,
                  "'" + arguments.output + "' is no file that ranks can write together");
    }
  });
  KokkosSession const kokkos(exec);
  AnyCodec codec(exec.space);
  {
    mpi::SharedFile file(comm, output ? *output->partial_path() : "", MPI_INFO_NULL);
    write_slabs(ranks, input, Slabs(shape, slab_bytes), codec, file);
    file.finish(shape.bytes());
  }
  mpi::together(comm, [&] {
    if (output) output->commit();
  });
  return 0;
}

}  // namespace

void add_mpi_decompress(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<MpiDecompressArguments>();
  CLI::App& verb =
      *app.add_subcommand("decompress", "write the raw field of a stream on all ranks");
  verb.add_option("-i", arguments->input, "stream or archive")->required()->type_name("FILE");
  verb.add_option("--name", arguments->name, "field of the archive")->type_name("NAME");
  verb.add_option("-o", arguments->output, "raw field to write")->required()->type_name("FILE");
  arguments->slab.add_to(verb);
  arguments->exec.add_to(verb);
  arguments->overwrite.add_to(verb);
  verb.callback([arguments, &action] { action = [arguments] { return decompress(*arguments); }; });
}

}  // namespace kompakt::cli

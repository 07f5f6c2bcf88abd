#include "verbs.hpp"
#include <cli/parts/codec.hpp>
#include <cli/parts/compress_field.hpp>
#include <cli/parts/standard_files.hpp>
#include <kompakt/mpi_agree.hpp>
#include <kompakt/mpi_files.hpp>
#include <kompakt/slabs.hpp>
#include <memory>
#include <optional>

namespace kompakt::cli {

namespace {

struct MpiCompressArguments {
  CompressArguments of_field;
  SlabArguments slab;
};

[[noreturn]] void refuse(std::string const& message, std::string_view advice = {}) {
  throw Error(Status::bad_argument, message, advice);
}

void require_usable(CompressArguments const& arguments) {
  if (arguments.input.empty() || arguments.input == "-" || !arguments.files.empty()) {
    refuse("kompakt-mpi compresses one file that all ranks can read", "name it with -i");
  }
  if (!arguments.named_bounds.empty())
    refuse("--bound is for files of variables", "give -m and -e");
  if (!arguments.memory.bytes.empty()) {
    refuse("--memory " + arguments.memory.bytes +
           ": kompakt-mpi uses as much as --slab says, so that the file does not depend on it; "
           "leave it out");
  }
  if (arguments.output.path == "-") {
    refuse("-o -: ranks cannot write into a pipe together", "name a file");
  }
  if (arguments.output.append && !arguments.output.name) {
    refuse("--append needs the name of the field", "give --name");
  }
}

/// A raw file that slabs are read from in any order.
class RawInput {
 public:
  RawInput(CompressArguments const& arguments)
      : m_name(files::input_name(arguments.input, arguments.field.given())),
        m_shape(shape_of(arguments)),
        m_file(m_name.path) {
    std::uint64_t const bytes = m_file.known_bytes();
    if (bytes == m_shape.bytes()) return;
    refuse("'" + m_name.path + "' has " + std::to_string(bytes) + " bytes, but the field has " +
               std::to_string(m_shape.bytes()),
           "check -t and the extents");
  }

  FieldShape const& shape() const { return m_shape; }
  std::span<std::byte const> read(kompakt::Slabs const& slabs, std::uint64_t slab) {
    m_values.resize(slabs.shape(slab).bytes());
    m_file.read_at(slabs.values_before(slab) * size_of(m_shape.dtype), m_values);
    return m_values;
  }

 private:
  FieldShape shape_of(CompressArguments const& arguments) const {
    if (m_name.format == files::Format::raw) return arguments.field.shape();
    refuse("'" + arguments.input +
           "' is no raw file; kompakt-mpi compresses the values alone, 'kompakt compress' others");
  }

  files::FileName m_name;
  FieldShape m_shape;
  InputFile m_file;
  std::vector<std::byte> m_values;
};

/// What all ranks need before the first slab.
struct Job {
  AskedOptions call;
  ExecChoice exec;
  RawInput input;
  kompakt::Slabs slabs;

  explicit Job(MpiCompressArguments const& arguments)
      : call((require_usable(arguments.of_field),
              arguments.of_field.coding.options_with(arguments.of_field.bound))),
        exec(arguments.of_field.exec.choice()),
        input(arguments.of_field),
        slabs(input.shape(), arguments.slab.given()) {
    adapt(call.options, input.shape(), {});
  }
};

/// Works on the slabs of this rank, and agrees on failures at the end.
template <class Work>
void for_each_slab(Ranks const& ranks, Job& job, Work const& work) {
  mpi::together(ranks.comm, [&] {
    for (std::uint64_t round = 0; ranks.slab(round) < job.slabs.count(); ++round) {
      std::uint64_t const slab = ranks.slab(round);
      work(slab, ConstFieldData(job.input.read(job.slabs, slab).data(), job.slabs.shape(slab)));
    }
  });
}

FieldRange ends_of_mine(Ranks const& ranks, Job& job, AnyCodec& codec, FillValue const& fill) {
  FieldRange mine;
  for_each_slab(ranks, job, [&](std::uint64_t, ConstFieldData const& values) {
    mine = joined(mine, codec.field_range(values, MemoryOf::host, fill));
  });
  return mine;
}

void resolve_range(Ranks const& ranks, Job& job, AnyCodec& codec) {
  Options& options = job.call.options;
  if (!options.bound.needs_range() || options.range != 0 || job.slabs.count() == 1) return;
  FieldRange mine = ends_of_mine(ranks, job, codec, options.fill);
  if (options.fill.mode == FillValue::Mode::automatic) {
    FieldRange const found = mpi::with_fills_of_all(ranks.comm, mine);
    if (found.fill) {
      options.fill = found.fills(options.fill);
      // One slab may have counted the fill value of another.
      mine = ends_of_mine(ranks, job, codec, options.fill);
    }
  }
  options = options_for_parts(mpi::joined(ranks.comm, mine), options);
}

// By the first slab, so that all have the same pipeline.
std::optional<Choice> choose(Ranks const& ranks, Job& job, AnyCodec& codec, Goal goal,
                             ChoiceRecord& reason) {
  if (!job.call.chooses) return std::nullopt;
  std::optional<Choice> choice;
  mpi::together(ranks.comm, [&] {
    if (ranks.rank != 0) return;
    ConstFieldData const values(job.input.read(job.slabs, 0).data(), job.slabs.shape(0));
    choice = codec.choose(values, MemoryOf::host, job.call.options, goal);
    job.call.options = choice->options;
    reason = choice->reason;
  });
  MPI_Bcast(&job.call.options, sizeof(Options), MPI_BYTE, 0, ranks.comm);
  MPI_Bcast(&reason, sizeof(ChoiceRecord), MPI_BYTE, 0, ranks.comm);
  return choice;
}

mpi::SharedOutput open_output(Ranks const& ranks, OutputArguments const& output) {
  if (!output.name) {
    return {ranks.comm, std::function([&] { return output.overwrite.open(output.path); })};
  }
  return {ranks.comm, std::function([&] {
            ArchiveWriter archive = output.open_archive();
            output.free_name(archive, *output.name);
            return archive;
          })};
}

double write_slabs(Ranks const& ranks, Job& job, ChoiceRecord const& reason,
                   mpi::SharedOutput& output) {
  Compressor compressor(job.exec.space, job.call.options, reason);
  double elapsed_s = 0;
  mpi::FrameBlock block;
  for (std::uint64_t round = 0; round < ranks.rounds(job.slabs.count()); ++round) {
    block.clear();
    mpi::together(ranks.comm, [&] {
      std::uint64_t const slab = ranks.slab(round);
      if (slab >= job.slabs.count()) return;
      auto result = compressor.compress(job.slabs.shape(slab), job.input.read(job.slabs, slab));
      if (job.slabs.count() > 1) result.info = mark_part(result.stream, job.slabs.part(slab));
      block.add(result.stream, result.info);
      elapsed_s += result.elapsed_s;
    });
    output.add_frames(block);
  }
  return ranks.most(elapsed_s);
}

int compress(MpiCompressArguments const& arguments) {
  Ranks const ranks;
  OutputArguments const& to = arguments.of_field.output;
  auto job = mpi::together(ranks.comm, [&] { return std::make_unique<Job>(arguments); });
  mpi::together(ranks.comm, [&] {
    if (ranks.rank == 0) to.require_usable(arguments.of_field.input);
  });
  KokkosSession const kokkos(job->exec);
  AnyCodec codec(job->exec.space);
  resolve_range(ranks, *job, codec);
  ChoiceRecord reason;
  auto const choice = choose(ranks, *job, codec, arguments.of_field.coding.chosen_goal(), reason);
  mpi::SharedOutput output = open_output(ranks, to);
  output.begin(to.name.value_or(""), to.attributes_with({}));
  double const elapsed_s = write_slabs(ranks, *job, reason, output);
  FrameSequence const frames = output.end();
  output.commit();
  output_is_complete();
  if (ranks.rank != 0) return 0;
  Report report = codec_report(arguments.of_field.input, to.label(), frames,
                               to_string(job->exec.space), elapsed_s, "compress_gbps");
  if (choice) describe(report, *choice);
  report.values["ranks"] = ranks.count;
  report.print(arguments.of_field.json, stdout);
  return 0;
}

}  // namespace

void add_mpi_compress(CLI::App& app, Action& action) {
  auto const arguments = std::make_shared<MpiCompressArguments>();
  CLI::App& verb = *app.add_subcommand("compress", "compress a raw field on all ranks");
  arguments->of_field.add_to(verb);
  arguments->slab.add_to(verb);
  verb.callback([arguments, &action] { action = [arguments] { return compress(*arguments); }; });
}

}  // namespace kompakt::cli

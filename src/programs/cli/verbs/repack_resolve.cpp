#include "repack_plan.hpp"
#include <cli/parts/codec.hpp>
#include <cli/parts/compress_field.hpp>
#include <cli/parts/files.hpp>
#include <cli/parts/notes.hpp>
#include <cli/parts/packed_bound.hpp>
#include <cli/parts/progress.hpp>
#include <cli/parts/slabs.hpp>
#include <cli/parts/text.hpp>
#include <cmath>
#include <kompakt/chunks.hpp>
#include <memory>
#include <string>
#include <utility>

namespace kompakt::cli {

namespace {

/// Finds out what all chunks of a variable are compressed with: a bound relative to its range, or a PSNR of all of it,
/// becomes an absolute one, and the pipeline is chosen.
class Resolver {
 public:
  Resolver(files::FieldReader& file, std::string label, RepackedVariable const& variable,
           RunLimits const& conditions)
      : m_file(file),
        m_label(std::move(label)),
        m_variable(variable),
        m_conditions(conditions),
        m_options(variable.call.options),
        m_slabs(variable.variable.shape, m_options, conditions.memory.bytes) {}

  Options resolved() {
    bool const has_bound = !is_lossless();
    settle_wide_integers(m_file, m_slabs, m_conditions.space, m_options);
    if (has_bound && is_lossless()) note_too_large(m_label);
    if (m_options.bound.needs_range()) resolve_range();
    if (m_options.bound.mode == ErrorBound::Mode::r2r) m_options = of_chunks();
    if (m_variable.call.chooses && !is_lossless()) choose();
    if (m_options.bound.mode == ErrorBound::Mode::psnr) m_options = of_chunks();
    return m_options;
  }

 private:
  bool is_lossless() const { return m_options.bound.mode == ErrorBound::Mode::lossless; }

  void resolve_range() {
    m_range = {true, 0, m_options.range, {}, {}};
    if (m_options.range > 0) return;
    m_range = during("looking for the range of", m_slabs.whole().bytes(), Progress::Shows::read,
                     [&] { return range_of(m_file, m_slabs, m_conditions.space, m_options.fill); });
    bool const is_found = m_options.fill.mode == FillValue::Mode::automatic && m_range.fill;
    if (is_found && std::isfinite(*m_range.fill)) {
      note("'" + m_variable.variable.name + "': " + text_of(*m_range.fill) +
           " is masked as a fill value, and is left out of the range; --fill none counts it");
    }
    m_options = options_for_parts(m_range, m_options);
  }

  void choose() {
    std::span<std::byte const> const values = first_slab();
    m_options.second_axis = m_options.third_axis = -1;
    m_options.axis = m_slabs.shape(0).rank - 1;  // the words of the filter name no other one
    AnyCodec codec(m_conditions.space);
    Choice const choice =
        during("choosing a pipeline for", values.size(), Progress::Shows::activity, [&] {
          return codec.choose(ConstFieldData(values.data(), m_slabs.shape(0)), MemoryOf::host,
                              m_options, m_variable.call.goal);
        });
    m_options = choice.options;
    // The last one of a chunk, whatever its rank.
    m_options.axis = m_options.second_axis = m_options.third_axis = -1;
  }

  Options of_chunks() {
    return options_for_chunks(m_range, m_options, [&](Options const& whole) {
      if (m_slabs.count() > 1) return 0.0;  // it does not fit into memory
      Compressor compressor(m_conditions.space, whole, ChoiceRecord());
      return compressor.compress(m_slabs.shape(0), first_slab()).info.abs_bound;
    });
  }

  std::span<std::byte const> first_slab() {
    if (m_first.empty()) {
      m_file.rewind();
      read_slab(m_file, m_slabs.shape(0), m_first);
    }
    return m_first;
  }

  files::FieldReader& m_file;
  std::string m_label;
  RepackedVariable const& m_variable;
  RunLimits const& m_conditions;
  Options m_options;
  Slabs m_slabs;
  FieldRange m_range;
  std::vector<std::byte> m_first;
};

}  // namespace

std::vector<files::FilteredVariable> resolve(RepackedFile const& file,
                                             RunLimits const& conditions) {
  std::unique_ptr<files::FieldFile> const input = files::open_field_file(file.input);
  std::vector<files::FilteredVariable> resolved;
  for (RepackedVariable const& variable : file.variables) {
    auto const reader = input->read(variable.variable);
    std::string const& own = variable.variable.name;
    std::string const label = files::FileName{file.input.path, own}.label();
    resolved.push_back({own, variable.chunk, skippable([&] {
                          return about_field(
                              label, named_absolute(own, variable.call.options.bound), [&] {
                                return Resolver(*reader, label, variable, conditions).resolved();
                              });
                        })});
  }
  return resolved;
}

}  // namespace kompakt::cli

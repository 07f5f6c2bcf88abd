#include "compare_values.hpp"
#include "repack_plan.hpp"
#include <algorithm>
#include <cli/parts/codec.hpp>
#include <cli/parts/fill.hpp>
#include <cli/parts/progress.hpp>
#include <cli/parts/report.hpp>
#include <cli/parts/slabs.hpp>
#include <cmath>
#include <limits>
#include <memory>

namespace kompakt::cli {

namespace {

/// Holds a variable of the copy against that of the input, value by value.
class Verifier {
 public:
  /// \param asked  bound, that may be relative to all of the variable
  Verifier(RunLimits const& conditions, ErrorBound const& asked, Options const& options)
      : m_conditions(conditions),
        m_codec(conditions.space),
        m_asked(asked),
        m_bound(options.bound),
        m_fill(options.fill) {}

  /// \param label  of the copy, for messages
  void verify(files::Variable const& variable, files::FieldReader& original,
              files::FieldReader& copy, std::string const& label) {
    Slabs const slabs(
        variable.shape, [](FieldShape const& part) { return 2 * part.bytes(); },
        m_conditions.memory.bytes);
    std::vector<std::byte> values, others;
    for (std::uint64_t k = 0; k < slabs.count(); ++k) {
      read_slab(original, slabs.shape(k), values);
      read_slab(copy, slabs.shape(k), others);
      add(slabs.shape(k), values, others, label);
    }
    if (m_asked.mode != ErrorBound::Mode::psnr || m_sum_squares == 0) return;
    double const rmse = std::sqrt(m_sum_squares / static_cast<double>(m_values));
    refuse_unless(20 * std::log10((m_max - m_min) / rmse) >= m_asked.value, label);
  }

 private:
  /// \param values, others  of which integers become numbers
  void add(FieldShape shape, std::vector<std::byte>& values, std::vector<std::byte>& others,
           std::string const& label) {
    bool const is_same = std::ranges::equal(values, others);
    if (m_bound.mode == ErrorBound::Mode::lossless) return refuse_unless(is_same, label);
    if (are_rounded(shape.dtype, m_bound.mode)) {
      // Some of them may be no numbers.
      if (is_same && m_asked.mode != ErrorBound::Mode::psnr) return;
      make_numbers(shape, values, others);
    }
    leave_out_fills(m_fill, shape.dtype, values, others);
    ErrorStats const stats =
        m_codec.error_stats(ConstFieldData(values.data(), shape), MemoryOf::host,
                            ConstFieldData(others.data(), shape), MemoryOf::host, m_bound);
    refuse_unless(stats.violations == 0, label);
    if (stats.values == stats.nonfinite) return;
    m_min = std::min(m_min, stats.min);
    m_max = std::max(m_max, stats.max);
    m_values += stats.values - stats.nonfinite;
    m_sum_squares += stats.sum_squares;
  }

  void refuse_unless(bool holds, std::string const& label) const {
    if (holds) return;
    throw Error(Status::bound_violated, "'" + label + "' would not keep its bound, " +
                                            text_of_resolved(m_bound) +
                                            "; nothing is written: please report it");
  }

  RunLimits const& m_conditions;
  AnyCodec m_codec;
  ErrorBound m_asked, m_bound;
  FillValue m_fill;
  double m_min = std::numeric_limits<double>::infinity(), m_max = -m_min, m_sum_squares = 0;
  std::uint64_t m_values = 0;
};

}  // namespace

void verify_copy(RepackedFile const& file, std::vector<files::FilteredVariable> const& resolved,
                 OutputFile const& output, RunLimits const& conditions) {
  auto const input = files::open_field_file(file.input);
  auto const copy =
      files::open_field_file({output.partial_path()->string(), "", files::Format::hdf5});
  for (std::size_t i = 0; i < resolved.size(); ++i) {
    RepackedVariable const& asked = file.variables[i];
    files::FileName const name{file.output.string(), asked.variable.name};
    files::Variable const& made = files::choose_variable(
        *copy, {file.output.string(), asked.variable.name, files::Format::hdf5});
    auto const original = input->read(asked.variable), other = copy->read(made);
    during("verifying", 0, Progress::Shows::activity, [&] {
      Verifier(conditions, asked.call.options.bound, resolved[i].options)
          .verify(asked.variable, *original, *other, name.label());
    });
  }
}

}  // namespace kompakt::cli

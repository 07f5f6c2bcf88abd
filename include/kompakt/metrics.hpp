#ifndef KOMPAKT_METRICS_HPP
#define KOMPAKT_METRICS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <kompakt/error.hpp>
#include <kompakt/field.hpp>
#include <kompakt/memory.hpp>
#include <kompakt/options.hpp>
#include <limits>
#include <string>
#include <vector>

namespace kompakt {

/// Distance of a reconstruction from its original. Values that are not finite in the original count
/// only towards `violations` (they must come back bit for bit) and `nonfinite`.
struct ErrorStats {
  std::uint64_t values = 0;
  std::uint64_t nonfinite = 0;        ///< NaN and infinities of the original
  std::uint64_t violations = 0;       ///< outside the bound in exact arithmetic, or not bit-exact
  std::int64_t first_violation = -1;  ///< position in memory order, -1 if none
  double max_abs_error = 0;
  double min = 0, max = 0;  ///< of the finite values of the original
  double sum_squares = 0;   ///< of the errors

  double range() const { return max - min; }
  double rmse() const;
  double nrmse() const;    ///< rmse / range; 0 when the field is constant and exact
  double psnr_db() const;  ///< 20 log10(range / rmse); infinity when exact
};

/// Which groups of numbers `metrics` finds besides the basic ones. Each takes passes of its own.
struct MetricsOptions {
  bool ssim = false;
  bool autocorrelation = false;
  bool histogram = false;
  bool entropy = false;

  static constexpr MetricsOptions all() { return {true, true, true, true}; }
};

/// Errors at equal steps from -bound to bound, or relative ones if the bound is relative to each value. Bin i holds the errors from
/// -bound + i * 2 bound / bins on, the last one also errors equal to bound.
struct ErrorHistogram {
  static constexpr int bins = 21;  ///< odd: the middle one is around 0

  std::vector<std::uint64_t> counts;   ///< `bins` numbers; empty if it was not asked for
  std::uint64_t below = 0, above = 0;  ///< outside of the bound; a number that became NaN is above
};

/// Quality of a reconstruction. A number that is not defined, or not asked for, is NaN.
/// Let x be a value of the original, y what it became, and e = y - x, in double.
struct Metrics : ErrorStats {
  static constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
  static constexpr int lags = 10;
  static constexpr int ssim_width = 7;

  // The basic ones.
  double max_rel_error = 0;  ///< largest |e| / |x|, of the finite x but 0
  double mean_error = 0;     ///< of e where x and y are finite
  double pearson =
      undefined;  ///< correlation of x and y where both are finite; NaN if one is constant

  // MetricsOptions::ssim
  double ssim = undefined;
  std::uint64_t ssim_windows = 0;  ///< what it is the mean of

  // MetricsOptions::autocorrelation
  std::vector<double> autocorrelation;  ///< of e at the distances 1 to `lags` in memory, or empty

  // MetricsOptions::histogram
  ErrorHistogram histogram;

  // MetricsOptions::entropy
  double entropy_original = undefined;       ///< bits per value
  double entropy_reconstructed = undefined;  ///< bits per value
};

namespace impl {
template <class Exec>
ErrorStats error_stats(Exec const& exec, void const* original, void const* reconstructed,
                       Dtype dtype, std::size_t size, ErrorBound const& bound);
template <class Exec>
Metrics metrics(Exec const& exec, void const* original, void const* reconstructed,
                FieldShape const& shape, ErrorBound const& bound, MetricsOptions const& options);

/// Throws unless two fields of these shapes can be compared.
inline void require_comparable(FieldShape const& original, FieldShape const& reconstructed,
                               ErrorBound const& bound) {
  if (!(bound.value >= 0)) {
    throw Error(Status::bad_argument,
                "the bound " + std::to_string(bound.value) + " is not a number >= 0");
  }
  if (!is_number(original.dtype)) {
    throw Error(Status::bad_argument, std::string("values of ") + to_string(original.dtype) +
                                          " are not measured; this is for f32 and f64");
  }
  if (bound.mode == ErrorBound::Mode::r2r || bound.mode == ErrorBound::Mode::psnr) {
    throw Error(Status::bad_argument,
                std::string("the bound is relative to the field: ") + to_string(bound.mode),
                "give the resolved bound, such as StreamInfo::resolved()");
  }
  if (!(original == reconstructed)) {
    throw Error(Status::type_mismatch, "the two fields differ in type, extents or order");
  }
}

/// The values of a View side by side: its own, or a copy that lives as long as this.
template <class Exec, Field V>
class DenseValues {
 public:
  DenseValues(Exec const& exec, V const& view) : m_field(view.data(), shape_of(view)) {
    if (is_dense(m_field.shape, strides_of_view(view))) return;
    if (m_field.shape.order == Order::first_fastest) {
      copy<Kokkos::LayoutLeft>(exec, view);
    } else {
      copy<Kokkos::LayoutRight>(exec, view);
    }
  }
  ConstFieldData const& field() const { return m_field; }

 private:
  template <class Layout>
  void copy(Exec const& exec, V const& view) {
    grow_bytes(m_memory, m_field.shape.bytes(), "kompakt::metrics::field");
    Layout layout;
    for (std::size_t i = 0; i < V::rank(); ++i) layout.dimension[i] = view.extent(i);
    Kokkos::deep_copy(
        exec,
        Kokkos::View<typename V::non_const_data_type, Layout, typename V::memory_space,
                     Kokkos::MemoryUnmanaged>(
            reinterpret_cast<typename V::non_const_value_type*>(m_memory.data()), layout),
        view);
    m_field.data = m_memory.data();
  }

  Kokkos::View<std::byte*, typename V::memory_space> m_memory;
  ConstFieldData m_field;
};

/// call(a, b) with the values of two Views; of others a message of the compiler says what is wrong.
template <class Result, class Exec, AnyView A, AnyView B, class Call>
Result with_dense(Exec const& exec, A const& original, B const& reconstructed, Call const& call) {
  if constexpr (require_field_view<Exec, A>() && require_field_view<Exec, B>()) {
    DenseValues<Exec, A> const a(exec, original);
    DenseValues<Exec, B> const b(exec, reconstructed);
    return call(a.field(), b.field());
  } else {
    return {};
  }
}

}  // namespace impl

/// Compares two fields of the same type, extents and memory order.
/// \param bound  to check, >= 0: absolute (a number is) or relative to each value, such as
///               StreamInfo::resolved()
/// \throws Error type_mismatch if type, extents or memory order differ, bad_argument for another bound,
///         device if there is no memory for a copy
/// \note returns after completion; reads both fields once; copies a View whose values do not lie side by
///       side; sums depend on the order of addition in their last bits, everything else is exact
template <class Exec>
ErrorStats error_stats(Exec const& exec, ConstFieldData const& original,
                       ConstFieldData const& reconstructed, ErrorBound const& bound) {
  impl::named("error_stats",
              [&] { impl::require_comparable(original.shape, reconstructed.shape, bound); });
  return impl::error_stats(exec, original.data, reconstructed.data, original.shape.dtype,
                           original.shape.size(), bound);
}
template <class Exec, AnyView A, AnyView B>
ErrorStats error_stats(Exec const& exec, A const& original, B const& reconstructed,
                       ErrorBound const& bound) {
  return impl::with_dense<ErrorStats>(exec, original, reconstructed,
                                      [&](ConstFieldData const& a, ConstFieldData const& b) {
                                        return error_stats(exec, a, b, bound);
                                      });
}
template <class Exec, class A, class B>
ErrorStats error_stats(Exec const& exec, A const& original, B const& reconstructed,
                       double abs_bound) {
  return error_stats(exec, original, reconstructed, ErrorBound::absolute(abs_bound));
}

/// All that `error_stats` finds, more that the same one pass over both fields gives, and what
/// `options` asks for.
///
/// - Sums of squares and products are taken about means (shifted sums of up to 1024 values, joined as
///   Chan, Golub and LeVeque do, 1979): an offset of the field costs no digits.
/// - SSIM (Wang et al. 2004, doi:10.1109/TIP.2003.819861): the mean over all windows of 7 values along
///   each axis that lie inside the field, all of equal weight, with K1 = 0.01, K2 = 0.03, variances
///   with 1 / (n - 1), and the range of the original as the data range: what scikit-image's
///   structural_similarity gives with its defaults. Axes of extent 1 are dropped. Of more than three
///   axes the windows extend along the three fastest, and the others count fields. A window with a
///   value that is not finite, in either field, is left out. NaN if the field is constant, if an axis
///   is shorter than 7, or if no window is left.
/// - Autocorrelation (Z-checker, Tao et al. 2019, doi:10.1177/1094342017737147): at distance k the mean of
///   (e[i] - m) (e[i+k] - m) over the mean of (e[i] - m)^2, with m = mean_error and positions in memory
///   order. Pairs with an e that is not finite are left out. NaN if there is no pair, or all e are equal.
/// - Histogram: of e for finite x, or of e / |x| if the bound is relative to each value. With a bound of 0 the errors that are 0 are in the middle bin.
/// - Entropy: Shannon's, of the bit patterns of the values, as QCAT has it: log2(n) - sum c log2(c) / n,
///   where c is how often each of the patterns occurs. -0 and 0 are two patterns, as are NaNs with
///   different payloads.
///
/// \param bound  to check, as above, and the range of the histogram
/// \throws Error type_mismatch if type, extents or memory order differ, bad_argument for another bound,
///         device if there is no memory for the entropy or for the copy of a strided View
/// \note returns after completion. Reads both fields once, and once more for each group of `options`
///       (SSIM: about 9 times in a 3-D field, mostly from caches). The entropy takes memory of the size of one
///       field, on a device twice that. Sums depend on the order of addition in their last bits
template <class Exec>
Metrics metrics(Exec const& exec, ConstFieldData const& original,
                ConstFieldData const& reconstructed, ErrorBound const& bound,
                MetricsOptions const& options = {}) {
  impl::named("metrics",
              [&] { impl::require_comparable(original.shape, reconstructed.shape, bound); });
  return impl::metrics(exec, original.data, reconstructed.data, original.shape, bound, options);
}
template <class Exec, AnyView A, AnyView B>
Metrics metrics(Exec const& exec, A const& original, B const& reconstructed,
                ErrorBound const& bound, MetricsOptions const& options = {}) {
  return impl::with_dense<Metrics>(exec, original, reconstructed,
                                   [&](ConstFieldData const& a, ConstFieldData const& b) {
                                     return metrics(exec, a, b, bound, options);
                                   });
}
template <class Exec, class A, class B>
Metrics metrics(Exec const& exec, A const& original, B const& reconstructed, double abs_bound,
                MetricsOptions const& options = {}) {
  return metrics(exec, original, reconstructed, ErrorBound::absolute(abs_bound), options);
}

}  // namespace kompakt

#endif

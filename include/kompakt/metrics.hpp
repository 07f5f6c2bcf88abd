#ifndef KOMPAKT_METRICS_HPP
#define KOMPAKT_METRICS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <kompakt/error.hpp>
#include <kompakt/field.hpp>
#include <kompakt/workspace.hpp>
#include <string>

namespace kompakt {

/// How far a reconstruction is from its original. Values that are not finite in the original count
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

namespace impl {
template <class Exec>
ErrorStats error_stats(Exec const& exec, void const* original, void const* reconstructed,
                       Dtype dtype, std::size_t size, double abs_bound);

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
    grow_bytes(m_memory, m_field.shape.bytes(), "kompakt::error_stats::field");
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

}  // namespace impl

/// Compares two fields of the same type, extents and memory order.
/// \param abs_bound  bound to check, in the units of the field, >= 0
/// \throws Error type_mismatch if type, extents or memory order differ, bad_argument for a negative bound,
///         device if there is no memory for a copy
/// \note returns after completion; reads both fields once; copies a View whose values do not lie side by
///       side; sums depend on the order of addition in
///       their last bits, everything else is exact
template <class Exec>
ErrorStats error_stats(Exec const& exec, ConstFieldData const& original,
                       ConstFieldData const& reconstructed, double abs_bound) {
  if (!(abs_bound >= 0)) {
    throw Error(Status::bad_argument,
                "error_stats: the bound " + std::to_string(abs_bound) + " is not a number >= 0");
  }
  if (!(original.shape == reconstructed.shape)) {
    throw Error(Status::type_mismatch,
                "error_stats: the two fields differ in type, extents or order");
  }
  return impl::error_stats(exec, original.data, reconstructed.data, original.shape.dtype,
                           original.shape.size(), abs_bound);
}
template <class Exec, AnyView A, AnyView B>
ErrorStats error_stats(Exec const& exec, A const& original, B const& reconstructed,
                       double abs_bound) {
  if constexpr (impl::require_field_view<Exec, A>() && impl::require_field_view<Exec, B>()) {
    impl::DenseValues<Exec, A> const a(exec, original);
    impl::DenseValues<Exec, B> const b(exec, reconstructed);
    return error_stats(exec, a.field(), b.field(), abs_bound);
  } else {
    return {};
  }
}

}  // namespace kompakt

#endif

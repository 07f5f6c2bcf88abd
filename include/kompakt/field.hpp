#ifndef KOMPAKT_FIELD_HPP
#define KOMPAKT_FIELD_HPP

#include <Kokkos_Core.hpp>
#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <kompakt/error.hpp>
#include <kompakt/half.hpp>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kompakt {

inline constexpr int max_rank = 8;  // Kokkos::View's own limit

/// Type of a field's values. The numbers are part of the format.
enum class Dtype : std::uint8_t {
  f32 = 0,
  f64 = 1,
  // Integers: lossless, or within a bound, rounded to integers.
  i8 = 2,
  u8 = 3,
  i16 = 4,
  u16 = 5,
  i32 = 6,
  u32 = 7,
  i64 = 8,
  u64 = 9,
  // Floating-point numbers of 16 bits: lossless, or within a bound, rounded to their type.
  f16 = 10,
  bf16 = 11,
  // Complex numbers of two f32 or f64. A stream has their parts as two fields, one behind the other.
  c64 = 12,
  c128 = 13
};
inline constexpr int dtype_count = 14;

/// Which index of a field runs fastest in memory. The numbers are part of the format.
enum class Order : std::uint8_t {
  last_fastest = 0,   ///< C order, Kokkos::LayoutRight
  first_fastest = 1,  ///< Fortran order, Kokkos::LayoutLeft
};

/// Bytes of a value. Decoders on CUDA call it: a switch over so many types becomes a table of jumps there, beside which ptxas spills
/// 320 bytes of registers a thread, and decoders were up to 25 % slower on an H100.
KOKKOS_INLINE_FUNCTION constexpr std::size_t size_of(Dtype dtype) {
  // Four bits for each type, f32 in the lowest: the logarithm.
  constexpr std::uint64_t logarithms = 0x43113322110032;
  return std::size_t{1} << ((logarithms >> (4 * static_cast<unsigned>(dtype) & 63)) & 15);
}
KOKKOS_INLINE_FUNCTION constexpr bool is_integer(Dtype dtype) {
  return dtype >= Dtype::i8 && dtype <= Dtype::u64;
}
KOKKOS_INLINE_FUNCTION constexpr bool is_complex(Dtype dtype) {
  return dtype == Dtype::c64 || dtype == Dtype::c128;
}
KOKKOS_INLINE_FUNCTION constexpr bool is_half(Dtype dtype) {
  return dtype == Dtype::f16 || dtype == Dtype::bf16;
}
/// Whether kernels calculate with values of a type: f32 and f64.
KOKKOS_INLINE_FUNCTION constexpr bool is_number(Dtype dtype) {
  return dtype == Dtype::f32 || dtype == Dtype::f64;
}
/// Calls body(N{}) with the C++ type of values, of complex ones with the type of a part.
template <class Body>
decltype(auto) with_value_type(Dtype dtype, Body const& body) {
  switch (dtype) {
    case Dtype::f32:
    case Dtype::c64: return body(float{});
    case Dtype::f64:
    case Dtype::c128: return body(double{});
    case Dtype::i8: return body(std::int8_t{});
    case Dtype::u8: return body(std::uint8_t{});
    case Dtype::i16: return body(std::int16_t{});
    case Dtype::u16: return body(std::uint16_t{});
    case Dtype::i32: return body(std::int32_t{});
    case Dtype::u32: return body(std::uint32_t{});
    case Dtype::i64: return body(std::int64_t{});
    case Dtype::f16: return body(Float16{});
    case Dtype::bf16: return body(BFloat16{});
    case Dtype::u64: break;
  }
  return body(std::uint64_t{});
}
char const* to_string(Dtype dtype) noexcept;
/// The reverse.
/// \throws Error bad_argument naming the word and the words that are known
Dtype parse_dtype(std::string_view word);

/// Type, extents (in the order of the indices) and memory order of a dense field.
struct FieldShape {
  Dtype dtype = Dtype::f32;
  Order order = Order::last_fastest;
  int rank = 1;                                 ///< 1..max_rank
  std::array<std::size_t, max_rank> extents{};  ///< the first `rank` entries count

  /// Number of values; 0 when an extent is 0. Valid only if the product fits in 64 bits.
  constexpr std::size_t size() const {
    std::size_t n = 1;
    for (int i = 0; i < rank; ++i) n *= extents[i];
    return n;
  }
  constexpr std::size_t bytes() const { return size() * size_of(dtype); }
  friend bool operator==(FieldShape const&, FieldShape const&) = default;
};

/// The most values that a field can have. Sizes, strides and numbers of tiles, which are computed from extents, then fit
/// in 64 bits.
inline constexpr std::size_t max_field_values = std::size_t{1} << 60;

/// Whether extents make no more than max_field_values; to be asked before anything is computed from them. An extent of 0 counts
/// as 1: it must not hide that the others do not fit.
constexpr bool is_countable(std::span<std::size_t const> extents) {
  std::size_t values = 1;
  for (std::size_t const extent : extents) {
    if (extent > max_field_values / values) return false;
    values *= extent > 1 ? extent : 1;
  }
  return true;
}
/// Overload for a shape with a valid rank.
constexpr bool is_countable(FieldShape const& shape) {
  return is_countable({shape.extents.data(), static_cast<std::size_t>(shape.rank)});
}

namespace impl {

/// The index that tells the parts of complex numbers in a shape that has it: the slowest.
constexpr std::size_t part_axis(FieldShape const& with_parts) {
  return with_parts.order == Order::last_fastest
             ? 0
             : static_cast<std::size_t>(with_parts.rank > 0 ? with_parts.rank - 1 : 0);
}
/// Numbers of the indices of a shape with one for the index of the parts.
template <class N>
constexpr std::array<N, max_rank> with_part(FieldShape const& with_parts,
                                            std::array<N, max_rank> numbers, N of_part) {
  std::size_t const at = part_axis(with_parts);
  for (std::size_t i = max_rank - 1; i > at; --i) numbers[i] = numbers[i - 1];
  numbers[at] = of_part;
  return numbers;
}
template <class N>
constexpr std::array<N, max_rank> without_part(FieldShape const& with_parts,
                                               std::array<N, max_rank> numbers) {
  for (std::size_t i = part_axis(with_parts); i + 1 < max_rank; ++i) numbers[i] = numbers[i + 1];
  numbers[max_rank - 1] = N{};
  return numbers;
}
/// The shape of the parts of complex numbers, with an index more; any other shape, and one that has no room for it, as it is.
constexpr FieldShape shape_of_parts(FieldShape shape) {
  if (!is_complex(shape.dtype) || shape.rank >= max_rank || shape.rank < 0) return shape;
  shape.dtype = shape.dtype == Dtype::c64 ? Dtype::f32 : Dtype::f64;
  ++shape.rank;
  shape.extents = with_part(shape, shape.extents, std::size_t{2});
  return shape;
}
/// The reverse.
constexpr FieldShape shape_of_complex(FieldShape shape) {
  shape.extents = without_part(shape, shape.extents);
  --shape.rank;
  shape.dtype = shape.dtype == Dtype::f32 ? Dtype::c64 : Dtype::c128;
  return shape;
}

}  // namespace impl

/// Numbers that belong to the indices of a shape, as its extents do: `shape.rank` numbers, with the slowest
/// index first.
std::vector<std::size_t> slowest_first(FieldShape const& shape,
                                       std::array<std::size_t, max_rank> const& numbers);

namespace impl {

template <class V>
inline constexpr bool has_float_values = std::same_as<typename V::non_const_value_type, float> ||
                                         std::same_as<typename V::non_const_value_type, double>;
/// Integers of 8 to 64 bits, by whatever name.
template <class N>
inline constexpr bool is_integer_type = std::integral<N> && !std::same_as<N, bool>;
/// Complex numbers of float or double, by whatever name.
template <class N>
struct PartOf {
  using type = void;
};
template <class P>
struct PartOf<Kokkos::complex<P>> {
  using type = P;
};
template <class P>
struct PartOf<std::complex<P>> {
  using type = P;
};
template <class N>
inline constexpr bool is_complex_type =
    std::same_as<typename PartOf<N>::type, float> || std::same_as<typename PartOf<N>::type, double>;
/// Floating-point numbers of 16 bits, by whatever name.
template <class N>
inline constexpr bool is_half_like = !std::is_void_v<typename HalfOf<N>::type>;
template <class V>
inline constexpr bool has_values =
    has_float_values<V> || is_integer_type<typename V::non_const_value_type> ||
    is_half_like<typename V::non_const_value_type> ||
    is_complex_type<typename V::non_const_value_type>;

template <class N>
constexpr Dtype dtype_of() {
  if constexpr (std::same_as<N, float>) return Dtype::f32;
  if constexpr (std::same_as<N, double>) return Dtype::f64;
  if constexpr (std::same_as<typename PartOf<N>::type, float>) return Dtype::c64;
  if constexpr (std::same_as<typename PartOf<N>::type, double>) return Dtype::c128;
  if constexpr (std::same_as<typename HalfOf<N>::type, Float16>) return Dtype::f16;
  if constexpr (std::same_as<typename HalfOf<N>::type, BFloat16>) return Dtype::bf16;
  constexpr bool is_signed = std::is_signed_v<N>;
  switch (sizeof(N)) {
    case 1: return is_signed ? Dtype::i8 : Dtype::u8;
    case 2: return is_signed ? Dtype::i16 : Dtype::u16;
    case 4: return is_signed ? Dtype::i32 : Dtype::u32;
    default: return is_signed ? Dtype::i64 : Dtype::u64;
  }
}
template <class V>
inline constexpr bool has_rank = V::rank() >= 1 && V::rank() <= max_rank;
/// One step in memory for each index.
template <class V>
inline constexpr bool has_strides = std::same_as<typename V::array_layout, Kokkos::LayoutLeft> ||
                                    std::same_as<typename V::array_layout, Kokkos::LayoutRight> ||
                                    std::same_as<typename V::array_layout, Kokkos::LayoutStride>;
template <class V, class Exec>
inline constexpr bool is_reachable =
    Kokkos::SpaceAccessibility<typename Exec::execution_space,
                               typename V::memory_space>::accessible;

}  // namespace impl

/// Any View; the functions that take one say at compile time what is wrong with it.
template <class V>
concept AnyView = Kokkos::is_view_v<V>;

/// A Kokkos View of float, double, integers, Kokkos's half_t and bhalf_t, or complex numbers, rank 1..8, in LayoutLeft, LayoutRight or LayoutStride, that
/// kompakt can compress.
template <class V>
concept Field = AnyView<V> && impl::has_rank<V> && impl::has_values<V> && impl::has_strides<V>;

/// A Field whose memory kernels of Exec can read and write.
template <class V, class Exec>
concept FieldReachableFrom = Field<V> && impl::is_reachable<V, Exec>;

/// Steps from one value to the next along each index, in values.
using Strides = std::array<std::int64_t, max_rank>;

/// The strides of a dense field; some numbers if its extents are not countable.
constexpr Strides strides_of(FieldShape const& shape) {
  Strides strides{};
  std::size_t step = 1;
  for (int i = 0; i < shape.rank; ++i) {
    int const axis = shape.order == Order::last_fastest ? shape.rank - 1 - i : i;
    strides[static_cast<std::size_t>(axis)] = static_cast<std::int64_t>(step);
    step *= shape.extents[static_cast<std::size_t>(axis)];
  }
  return strides;
}

namespace impl {

/// Whether the values lie side by side in the order of `shape`; the step of an index with one value does
/// not matter.
constexpr bool is_dense(FieldShape const& shape, Strides const& strides) {
  Strides const dense = strides_of(shape);
  for (int i = 0; i < shape.rank; ++i) {
    auto const at = static_cast<std::size_t>(i);
    if (shape.extents[at] > 1 && strides[at] != dense[at]) return shape.size() == 0;
  }
  return true;
}

/// Which index of an array runs fastest: the first one if no step is shorter than the one before it, else
/// the last one. Indices with one value do not count.
constexpr Order order_of(FieldShape const& shape, Strides const& strides) {
  std::int64_t before = 0;
  int counted = 0;
  for (int i = 0; i < shape.rank; ++i) {
    auto const at = static_cast<std::size_t>(i);
    if (shape.extents[at] == 1) continue;
    if (strides[at] < before) return Order::last_fastest;
    before = strides[at];
    ++counted;
  }
  return counted > 1 ? Order::first_fastest : Order::last_fastest;
}

template <Field V>
Strides strides_of_view(V const& view) {
  Strides strides{};
  for (std::size_t i = 0; i < V::rank(); ++i) {
    strides[i] = static_cast<std::int64_t>(view.stride(i));
  }
  return strides;
}

}  // namespace impl

/// Shape of a View. Says which index is fastest: as the layout does, of a LayoutStride the first one if its
/// steps do not get shorter from index to index, else the last one; a View of one dimension is C order.
template <Field V>
FieldShape shape_of(V const& view) {
  using Layout = typename V::array_layout;
  FieldShape shape;
  shape.dtype = impl::dtype_of<typename V::non_const_value_type>();
  shape.rank = static_cast<int>(V::rank());
  for (int i = 0; i < shape.rank; ++i) shape.extents[i] = view.extent(i);
  if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>) {
    shape.order = impl::order_of(shape, impl::strides_of_view(view));
  } else if constexpr (std::is_same_v<Layout, Kokkos::LayoutLeft>) {
    shape.order = V::rank() > 1 ? Order::first_fastest : Order::last_fastest;
  }
  return shape;
}

/// A dense field whose type and rank are known only at run time: the values of a file, an array of
/// another language. The memory must be what the execution space of a call can reach, aligned to
/// its values.
struct FieldData {
  void* data = nullptr;
  FieldShape shape{};
};
struct ConstFieldData {
  void const* data = nullptr;
  FieldShape shape{};

  ConstFieldData(void const* values, FieldShape const& values_shape)
      : data(values), shape(values_shape) {}
  ConstFieldData(FieldData const& field) : data(field.data), shape(field.shape) {}
};

/// A field with gaps, such as one without its ghost cells or one member of an array of structures: element
/// (i, j, …) lies i * strides[0] + j * strides[1] + … values behind `data`. `shape.order` says in which order
/// the values are compressed. Memory as in a FieldData, which converts to this.
struct StridedData {
  void* data = nullptr;
  FieldShape shape{};
  Strides strides{};

  StridedData() = default;
  StridedData(void* values, FieldShape const& values_shape, Strides const& values_strides)
      : data(values), shape(values_shape), strides(values_strides) {}
  StridedData(FieldData const& field)
      : StridedData(field.data, field.shape, strides_of(field.shape)) {}
};
struct ConstStridedData {
  void const* data = nullptr;
  FieldShape shape{};
  Strides strides{};

  ConstStridedData(void const* values, FieldShape const& values_shape,
                   Strides const& values_strides)
      : data(values), shape(values_shape), strides(values_strides) {}
  ConstStridedData(ConstFieldData const& field)
      : ConstStridedData(field.data, field.shape, strides_of(field.shape)) {}
  ConstStridedData(FieldData const& field) : ConstStridedData(ConstFieldData(field)) {}
  ConstStridedData(StridedData const& field)
      : ConstStridedData(field.data, field.shape, field.strides) {}
};

/// Argument of every call that takes a field: a View of float, double, integers of 8 to 64 bits, Float16 or BFloat16 (Kokkos's
/// half_t and bhalf_t where these are no float), or of complex numbers, rank 1..8, of complex numbers 1..7, in LayoutLeft, LayoutRight
/// or LayoutStride, in memory that the execution space or the host reaches; or, of a type and rank known only at run time, a FieldData,
/// ConstFieldData, StridedData or ConstStridedData in memory that the execution space reaches. Integers come back as integers:
/// within the whole part of a bound, or lossless. Numbers of 16 bits come back as such. A bound of complex numbers holds for the
/// magnitude of the difference.
template <class F>
concept FieldLike = AnyView<F> || std::convertible_to<F const&, ConstStridedData>;

/// Whether kernels reach the memory of a field. If not, its values go through pinned memory of the host.
enum class FieldAccess { direct, staged };

/// A field of any kind to be read, as calls pass it on: what a View or a FieldData becomes.
struct FieldSource : ConstStridedData {
  FieldAccess access = FieldAccess::direct;
  bool has_parts = false;  ///< whether the slowest index tells the parts of complex numbers
  double largest = 0;      ///< no finite value of f16 or bf16 has a larger magnitude; 0: not known
};
/// A field of any kind to be written.
struct FieldTarget : StridedData {
  FieldAccess access = FieldAccess::direct;
};

namespace impl {

/// Instantiated by a call with something else than a field: makes one sentence of the compiler.
template <class F>
constexpr void refuse_field() {
  static_assert(FieldLike<F>,
                "kompakt: the field must be a Kokkos::View. Of a DualView pass view_device() or "
                "view_host(), of a "
                "DynRankView, std::vector, std::span or array FieldData{data, shape} or "
                "ConstFieldData(data, shape)");
}

/// Whether calls on Exec can take a View; if not, a message of the compiler says what is wrong with it.
template <class Exec, class V>
constexpr bool require_field_view() {
  static_assert(has_rank<V>, "kompakt: the View must have a rank of 1 to 8");
  static_assert(has_values<V>,
                "kompakt: the View must be one of float, double, integers, half_t, bhalf_t or "
                "complex");
  static_assert(has_strides<V>,
                "kompakt: the View must have LayoutLeft, LayoutRight or LayoutStride");
  constexpr bool reachable =
      is_reachable<V, Exec> || is_reachable<V, Kokkos::DefaultHostExecutionSpace>;
  static_assert(
      reachable,
      "kompakt: neither kernels of this execution space nor the host can access the View's "
      "memory; deep_copy it to a View in the memory space of the execution space");
  return Field<V> && reachable;
}
template <class Exec, class V>
inline constexpr FieldAccess access_to =
    is_reachable<V, Exec> ? FieldAccess::direct : FieldAccess::staged;

/// A field whose values are the parts of complex numbers, if these are such.
template <class Strided>
Strided parts_of(Strided field) {
  FieldShape const shape = shape_of_parts(field.shape);
  if (shape == field.shape) return field;
  for (std::int64_t& stride : field.strides) stride *= 2;
  return {field.data, shape, with_part(shape, field.strides, std::int64_t{1})};
}
inline FieldSource source_of_values(ConstStridedData const& field, FieldAccess access) {
  return {parts_of(field), access, is_complex(field.shape.dtype)};
}
inline FieldTarget target_of_values(StridedData const& field, FieldAccess access) {
  return {parts_of(field), access};
}

/// The values of a field as they lie: complex numbers are whole.
template <class Strided, FieldLike F>
Strided whole_values(F const& field) {
  if constexpr (AnyView<F>) {
    return {field.data(), shape_of(field), strides_of_view(field)};
  } else {
    return Strided(field);
  }
}
template <class Exec, class F>
FieldSource source_of(F const& field) {
  if constexpr (!FieldLike<F>) {
    refuse_field<F>();
    return {ConstFieldData(nullptr, {})};
  } else if constexpr (!AnyView<F>) {
    return source_of_values(whole_values<ConstStridedData>(field), FieldAccess::direct);
  } else if constexpr (require_field_view<Exec, F>()) {
    return source_of_values(whole_values<ConstStridedData>(field), access_to<Exec, F>);
  } else {
    return {ConstFieldData(nullptr, {})};
  }
}
template <class Exec, class F>
FieldTarget target_of(F const& field) {
  refuse_field<F>();
  constexpr bool is_writable = [] {
    if constexpr (AnyView<F>) return !std::is_const_v<typename F::value_type>;
    return !FieldLike<F> || std::convertible_to<F const&, StridedData>;
  }();
  static_assert(is_writable, "kompakt: the field is written; its values must not be const");
  if constexpr (!is_writable || !FieldLike<F>) {
    return {};
  } else if constexpr (!AnyView<F>) {
    return target_of_values(whole_values<StridedData>(field), FieldAccess::direct);
  } else if constexpr (require_field_view<Exec, F>()) {
    return target_of_values(whole_values<StridedData>(field), access_to<Exec, F>);
  } else {
    return {};
  }
}

}  // namespace impl

}  // namespace kompakt

#endif

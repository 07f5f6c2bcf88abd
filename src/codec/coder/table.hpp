#ifndef KOMPAKT_CODER_TABLE_HPP
#define KOMPAKT_CODER_TABLE_HPP

#include <coder/bitshuffle/seat.hpp>
#include <coder/fixedlength/seat.hpp>
#include <coder/huffman/seat.hpp>
#include <coder/rans/seat.hpp>
#include <core/type_list.hpp>
#include <vector>

// The one list of coders: parsing, validation, reader, choose(), reports and dispatch go by it.

#ifdef KOMPAKT_MORE_SEATS
#include KOMPAKT_MORE_SEATS
#else
namespace kompakt::impl::seat {
/// The seats that a build adds with a header of its own, which KOMPAKT_MORE_SEATS names.
using MoreCoders = TypeList<>;
using MorePredictors = TypeList<>;
}  // namespace kompakt::impl::seat
#endif

namespace kompakt::impl {

/// From the fastest on.
using Coders = decltype(TypeList<seat::FixedLength, seat::BitshuffleNested, seat::BitshuffleFz,
                                 seat::Huffman, seat::Rans>{} +
                        seat::MoreCoders{});

/// The row of a pipeline, nullptr for a number that names none.
constexpr CoderRow const* row_of(Pipeline pipeline) {
  CoderRow const* row = nullptr;
  any_of_types(Coders{}, [&]<class Seat>(TypeTag<Seat>) {
    if (Seat::row.pipeline == pipeline) row = &Seat::row;
    return row != nullptr;
  });
  return row;
}

/// The rows of all pipelines, each once.
std::vector<CoderRow const*> const& coder_rows();

namespace detail {

template <class Seat, class... Rest, class Body>
decltype(auto) with_coder_of(Pipeline pipeline, Variant variant, Body const& body) {
  if constexpr (sizeof...(Rest) > 0) {
    bool const mine = Seat::row.pipeline == pipeline && Seat::codes(variant);
    if (!mine) return with_coder_of<Rest...>(pipeline, variant, body);
  }
  return body(TypeTag<Seat>{});
}

}  // namespace detail

/// body(TypeTag of the seat whose coder reads and writes the records of a pipeline, which must be in the table).
template <class Body>
decltype(auto) with_coder(Pipeline pipeline, Variant variant, Body const& body) {
  return [&]<class... Seats>(TypeList<Seats...>) -> decltype(auto) {
    return detail::with_coder_of<Seats...>(pipeline, variant, body);
  }(Coders{});
}

}  // namespace kompakt::impl

#endif

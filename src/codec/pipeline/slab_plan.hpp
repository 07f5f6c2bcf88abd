#ifndef KOMPAKT_PIPELINE_SLAB_PLAN_HPP
#define KOMPAKT_PIPELINE_SLAB_PLAN_HPP

#include <container/header.hpp>
#include <kompakt/slab_reader.hpp>

namespace kompakt::impl {

/// Slabs that a ring holds: one is decoded while two are read.
inline constexpr std::int64_t slab_slots = 3;

/// Cuts the field of a header into slabs.
/// \param field  type, rank and order as the caller sees it
/// \throws Error type_mismatch or bad_argument as SlabReader
SlabPlan plan_slabs_of(Header const& header, FieldShape const& field, SlabOptions const& options);

}  // namespace kompakt::impl

#endif

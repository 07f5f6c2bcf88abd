#ifndef KOMPAKT_PIPELINE_FIND_STEPS_HPP
#define KOMPAKT_PIPELINE_FIND_STEPS_HPP

#include <kompakt/value_steps.hpp>
#include <span>

namespace kompakt::impl {

/// Values of a sample that are enough to find steps.
inline constexpr std::size_t steps_sample_values = std::size_t{1} << 14;

/// The steps that at least a share of the values of a sample are made of, of a kind that leaves out most numbers of their type; none if there
/// are no such steps. Looks for decimals, binary fractions, integers with a scale factor and an offset, and for zeros in the
/// lowest bits.
/// \param sample       float or double; reordered
/// \param least_share  of those values that are neither zero nor at an end again and again
template <class T>
ValueSteps find_steps(std::span<T> sample, double least_share);

}  // namespace kompakt::impl

#endif

#ifndef KOMPAKT_CHECKPOINT_OPTIONS_HPP
#define KOMPAKT_CHECKPOINT_OPTIONS_HPP

#include <kompakt/checkpoint.hpp>

namespace kompakt::impl {

/// \throws Error bad_argument naming the value
void require_usable(CheckpointOptions const& options);

}  // namespace kompakt::impl

#endif

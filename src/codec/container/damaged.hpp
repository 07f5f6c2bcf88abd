#ifndef KOMPAKT_CONTAINER_DAMAGED_HPP
#define KOMPAKT_CONTAINER_DAMAGED_HPP

#include <kompakt/error.hpp>
#include <string>

namespace kompakt::impl {

/// What is read here is not what a writer of this format leaves.
[[noreturn]] inline void refuse_damaged(std::string const& reason) {
  throw Error(Status::corrupt, reason);
}

}  // namespace kompakt::impl

#endif

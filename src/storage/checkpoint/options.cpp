#include <checkpoint/options.hpp>
#include <checkpoint/values.hpp>

namespace kompakt::impl {

namespace {

constexpr std::size_t least_frame_bytes = std::size_t{1} << 10,
                      max_frame_bytes = std::size_t{1} << 30;

[[noreturn]] void refuse(std::string const& what, std::string_view advice = {}) {
  throw Error(Status::bad_argument, checkpoint_function, what, advice);
}

}  // namespace

void require_usable(CheckpointOptions const& options) {
  if (options.keep < 1) {
    refuse("keep of " + std::to_string(options.keep) + " cannot be used", "give 1 or more");
  }
  if (options.frame_bytes < least_frame_bytes || options.frame_bytes > max_frame_bytes) {
    refuse("frame_bytes of " + std::to_string(options.frame_bytes) + " cannot be used",
           "give " + std::to_string(least_frame_bytes) + " to " + std::to_string(max_frame_bytes));
  }
}

}  // namespace kompakt::impl

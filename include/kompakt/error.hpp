#ifndef KOMPAKT_ERROR_HPP
#define KOMPAKT_ERROR_HPP

#include <stdexcept>
#include <string>

namespace kompakt {

/// Result of a call. The numbers are stable: the command line returns them as exit codes.
enum class Status : int {
  ok = 0,
  bad_argument = 1,          ///< an option, extent, bound or buffer that no call can accept
  buffer_too_small = 2,      ///< the destination, or memory given to a workspace, is too small
  bad_magic = 10,            ///< these bytes are not a kompakt stream
  unsupported_version = 11,  ///< a stream of a newer format, or one that needs an unknown feature
  corrupt = 12,              ///< truncated or altered stream
  type_mismatch = 13,        ///< the View's value type or extents differ from the stream's
  bound_violated = 20,       ///< `kompakt compare` found a value outside the bound
  io = 21,                   ///< a file could not be read or written
  device = 30,               ///< the execution space failed or is not available
};

/// Name of a status, such as "bad_argument".
char const* to_string(Status status) noexcept;

/// The only exception that leaves the library. what() starts with the name of the function, names
/// the value received and says what to do.
class Error : public std::runtime_error {
 public:
  Error(Status status, std::string const& message)
      : std::runtime_error(message), m_status(status) {}
  Status status() const noexcept { return m_status; }

 private:
  Status m_status;
};

}  // namespace kompakt

#endif

#ifndef KOMPAKT_ERROR_HPP
#define KOMPAKT_ERROR_HPP

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

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

/// The only exception that leaves the library. what() is "where: problem; advice", without what is empty.
class Error : public std::runtime_error {
 public:
  /// \param problem  what is wrong, with the value received
  /// \param advice   what to do about it; may be empty
  Error(Status status, std::string_view problem, std::string_view advice = {});
  /// \param where    the public function or type that refuses, such as "compress"
  Error(Status status, std::string_view where, std::string_view problem, std::string_view advice);

  Status status() const noexcept { return m_status; }
  /// Name of the public function or type that refused; may be empty. A part of what(), which lives as long.
  std::string_view where() const noexcept { return {what(), m_where_bytes}; }
  /// Description of what is wrong, with the received value.
  std::string_view problem() const noexcept { return {what() + m_problem_begin, m_problem_bytes}; }
  /// Advice on what to do; may be empty.
  std::string_view advice() const noexcept;
  /// problem() and advice(), for those who know which function they called.
  std::string_view text() const noexcept { return what() + m_problem_begin; }

  /// The error with `name` as where(), if it has none yet.
  Error named(std::string_view name) const;
  /// The error with "subject: " in front of its problem, and without where(), which the caller's takes the place of.
  Error about(std::string_view subject) const;

 private:
  Status m_status;
  // Where the parts lie in what(): copies of the exception share its text.
  std::size_t m_where_bytes, m_problem_begin, m_problem_bytes, m_advice_bytes;
};

namespace impl {

/// Calls body(); an Error without where() leaves with the name of the public function that was called.
template <class Body>
decltype(auto) named(char const* where, Body const& body) {
  try {
    return body();
  } catch (Error const& error) {
    if (!error.where().empty()) throw;
    throw error.named(where);
  }
}

/// Calls body(); what it throws is about `subject`: "subject: problem; advice".
template <class Body>
decltype(auto) naming(std::string_view subject, Body const& body) {
  try {
    return body();
  } catch (Error const& error) {
    throw error.about(subject);
  }
}

}  // namespace impl

}  // namespace kompakt

#endif

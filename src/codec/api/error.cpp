#include <kompakt/error.hpp>
#include <kompakt/printable.hpp>
#include <string>

namespace kompakt {

namespace {

constexpr std::string_view behind_where = ": ", before_advice = "; ";

std::string joined(std::string_view first, std::string_view separator, std::string_view second) {
  if (first.empty()) return std::string(second);
  if (second.empty()) return std::string(first);
  return std::string(first).append(separator).append(second);
}

}  // namespace

Error::Error(Status status, std::string_view problem, std::string_view advice)
    : Error(status, {}, problem, advice) {}

// Here every message passes, with what it quotes of callers' texts and of files: all of it takes one line of UTF-8.
Error::Error(Status status, std::string_view where, std::string_view problem,
             std::string_view advice)
    : std::runtime_error(
          printable(joined(joined(where, behind_where, problem), before_advice, advice))),
      m_status(status),
      m_where_bytes(printable(where).size()),
      m_problem_begin(where.empty() || problem.empty() ? m_where_bytes
                                                       : m_where_bytes + behind_where.size()),
      m_problem_bytes(printable(problem).size()),
      m_advice_bytes(printable(advice).size()) {}

std::string_view Error::advice() const noexcept {
  std::size_t const before = m_problem_begin + m_problem_bytes;
  bool const is_joined = before > 0 && m_advice_bytes > 0;
  return {what() + before + (is_joined ? before_advice.size() : 0), m_advice_bytes};
}

Error Error::named(std::string_view name) const {
  return where().empty() ? Error(m_status, name, problem(), advice()) : *this;
}

Error Error::about(std::string_view subject) const {
  return {m_status, joined(subject, behind_where, problem()), advice()};
}

char const* to_string(Status status) noexcept {
  switch (status) {
    case Status::ok: return "ok";
    case Status::bad_argument: return "bad_argument";
    case Status::buffer_too_small: return "buffer_too_small";
    case Status::bad_magic: return "bad_magic";
    case Status::unsupported_version: return "unsupported_version";
    case Status::corrupt: return "corrupt";
    case Status::type_mismatch: return "type_mismatch";
    case Status::bound_violated: return "bound_violated";
    case Status::io: return "io";
    case Status::device: return "device";
  }
  return "unknown status";
}

}  // namespace kompakt

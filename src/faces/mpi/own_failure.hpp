#ifndef KOMPAKT_MPI_OWN_FAILURE_HPP
#define KOMPAKT_MPI_OWN_FAILURE_HPP

#include <exception>

#include "incoming.hpp"

namespace kompakt::mpi {

/// The first failure of a rank in a collective, which it then goes on with.
class OwnFailure {
 public:
  template <class Body>
  void guard(Body const& body) {
    try {
      body();
    } catch (...) {
      if (!m_failure) m_failure = std::current_exception();
    }
  }
  void add(Incoming const& incoming) {
    if (!m_failure) m_failure = incoming.own_failure();
  }
  std::exception_ptr const& get() const { return m_failure; }
  explicit operator bool() const { return static_cast<bool>(m_failure); }

 private:
  std::exception_ptr m_failure;
};

/// Begins a collective of the name `where` with a root, which must be the same rank everywhere.
/// \param failure  of the rank until now
/// \throws Error on every rank
inline void agree_on_root(Engine& engine, char const* where, int root, OwnFailure& failure) {
  failure.guard([&] { impl::named(where, [&] { engine.require_rank(root); }); });
  impl::named(where,
              [&] { agree_on(engine.collective, root, "root", failure.get(), engine.waiting()); });
}

}  // namespace kompakt::mpi

#endif

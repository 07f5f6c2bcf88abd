#ifndef KOMPAKT_PIPELINE_SIDE_INSTANCE_HPP
#define KOMPAKT_PIPELINE_SIDE_INSTANCE_HPP

#include <pipeline/dispatch.hpp>

namespace kompakt::impl {

/// A second instance of an execution space, whose work and that of the caller's wait for each other where it is said, with
/// nothing that the host waits for. This one is the caller's own, on which everything is in order by itself.
/// \tparam slots  how many pieces of work of either instance are told apart
template <class Exec, int slots, class Tag = backend_tag_t<Exec>>
class SideInstance {
 public:
  explicit SideInstance(Exec const&) {}
  /// What is enqueued on instance() from now on comes behind what has been enqueued on the caller's.
  void fork(Exec const&) {}
  Exec const& instance(Exec const& exec) const { return exec; }
  /// Notes all work of instance() so far under a number; of the caller's.
  void note(int) {}
  void note_of(Exec const&, int) {}
  /// The caller's instance goes on behind noted work; instance() behind that of the caller's, if there is such.
  void wait(Exec const&, int) {}
  void wait_for_callers(int) {}
};

}  // namespace kompakt::impl

#endif

#ifndef KOMPAKT_API_WORKSPACE_USE_HPP
#define KOMPAKT_API_WORKSPACE_USE_HPP

#include <kompakt/error.hpp>
#include <kompakt/pending.hpp>
#include <kompakt/workspace.hpp>
#include <mutex>
#include <string_view>
#include <thread>
#include <unordered_map>

// A workspace serves one call at a time. Builds without NDEBUG look whether that is so: what two calls share by mistake would
// give wrong values, or none, now and then.

namespace kompakt::impl {

/// Who uses which workspace in this process.
class WorkspaceUses {
 public:
  /// What tells a call that has been started from others.
  struct Call {
    std::string_view kind{};
    void const* result = nullptr;
    void const* field = nullptr;
    friend bool operator==(Call const&, Call const&) = default;
  };

  /// Never destroyed: threads may still work as the process ends.
  static WorkspaceUses& get() {
    static WorkspaceUses& once = *new WorkspaceUses;
    return once;
  }

  /// This thread uses the workspace until as many calls of end().
  /// \throws Error bad_argument if another thread uses it
  void begin(void const* workspace, char const* where) {
    std::lock_guard const lock(m_mutex);
    Use& use = m_uses[workspace];
    auto const self = std::this_thread::get_id();
    if (use.depth > 0 && use.thread != self) {
      throw Error(Status::bad_argument, where, "another thread uses the workspace at the same time",
                  "give each thread its own workspace");
    }
    use.thread = self;
    ++use.depth;
  }
  void end(void const* workspace) noexcept {
    std::lock_guard const lock(m_mutex);
    auto const use = m_uses.find(workspace);
    if (use != m_uses.end()) --use->second.depth;
  }

  /// The workspace has the results of this call from now on.
  void start(void const* workspace, Call const& call) {
    std::lock_guard const lock(m_mutex);
    m_uses[workspace].last = call;
  }
  /// \throws Error bad_argument if the workspace has the results of another call
  void require_last(void const* workspace, Call const& call, char const* where) {
    std::lock_guard const lock(m_mutex);
    if (m_uses[workspace].last == call) return;
    throw Error(Status::bad_argument, where,
                "its workspace has served another call before this one was finished",
                "finish a call before the next one, or give each its own workspace");
  }

 private:
  struct Use {
    std::thread::id thread;
    int depth = 0;
    Call last;
  };

  std::mutex m_mutex;
  std::unordered_map<void const*, Use> m_uses;
};

#ifdef NDEBUG
constexpr bool checks_workspaces = false;
#else
constexpr bool checks_workspaces = true;
#endif

/// A call uses a workspace as long as this lives.
class WorkspaceUse {
 public:
  /// \param workspace  null: none
  WorkspaceUse(void const* workspace, char const* where)
      : m_workspace(checks_workspaces ? workspace : nullptr) {
    if (m_workspace != nullptr) WorkspaceUses::get().begin(m_workspace, where);
  }
  ~WorkspaceUse() {
    if (m_workspace != nullptr) WorkspaceUses::get().end(m_workspace);
  }
  WorkspaceUse(WorkspaceUse const&) = delete;
  WorkspaceUse& operator=(WorkspaceUse const&) = delete;

  /// What was started before can no longer be finished.
  void forget() const {
    if (m_workspace != nullptr) WorkspaceUses::get().start(m_workspace, {});
  }
  /// Starts a call by body(), which returns it.
  template <class Body>
  auto start(Body const& body) const {
    forget();
    auto const call = body();
    if (m_workspace != nullptr) WorkspaceUses::get().start(m_workspace, identity(call));
    return call;
  }
  /// The call is the last one that was started.
  template <class Call>
  void require_last(Call const& call, char const* where) const {
    if (m_workspace != nullptr && call.result != nullptr)
      WorkspaceUses::get().require_last(m_workspace, identity(call), where);
  }

 private:
  template <class Exec>
  static WorkspaceUses::Call identity(CompressCall<Exec> const& call) {
    return {"compress", call.result, call.field ? call.field->data : nullptr};
  }
  template <class Exec>
  static WorkspaceUses::Call identity(DecompressCall<Exec> const& call) {
    return {"decompress", call.result, call.field.data};
  }

  void const* m_workspace;
};

}  // namespace kompakt::impl

#endif

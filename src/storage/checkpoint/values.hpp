#ifndef KOMPAKT_CHECKPOINT_VALUES_HPP
#define KOMPAKT_CHECKPOINT_VALUES_HPP

#include <kompakt/any_codec.hpp>
#include <kompakt/error.hpp>
#include <kompakt/options.hpp>
#include <kompakt/stream.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kompakt::impl {

/// Which name errors have.
inline constexpr char const* checkpoint_function = "Checkpoint";

constexpr MemoryOf memory_of(FieldAccess access) {
  return access == FieldAccess::direct ? MemoryOf::space : MemoryOf::host;
}

/// A View that is registered, or a part of a field.
struct CheckpointValue {
  std::string name;
  FieldTarget field{};
  std::shared_ptr<void const> owner;  // of its memory
  Options options{};
  FramePart place{};  // in the field that it is a part of, or of the whole

  MemoryOf memory() const { return memory_of(field.access); }
  /// Of the field that this is a part of.
  FieldShape whole() const;
};

class CheckpointValues {
 public:
  /// \throws Error bad_argument for a name that is taken or cannot be used, or options that cannot be used
  void add(CheckpointValue value);
  /// \returns the value, so that it can be given another field
  /// \throws Error bad_argument naming the values that there are
  CheckpointValue& at(std::string_view name);
  /// \throws Error bad_argument if there is none
  void require_any() const;

  std::vector<CheckpointValue>::const_iterator begin() const { return m_values.begin(); }
  std::vector<CheckpointValue>::const_iterator end() const { return m_values.end(); }
  std::size_t size() const { return m_values.size(); }
  std::uint64_t raw_bytes() const;

 private:
  std::vector<CheckpointValue> m_values;
};

/// Calls body(); what it throws says of which value that is.
template <class Body>
auto naming_value(std::string const& name, Body const& body) {
  try {
    return body();
  } catch (Error const& error) {
    throw error.about("value '" + name + "'").named(checkpoint_function);
  }
}

}  // namespace kompakt::impl

#endif

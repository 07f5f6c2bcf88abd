#ifndef KOMPAKT_C_ARGUMENTS_HPP
#define KOMPAKT_C_ARGUMENTS_HPP

#include "status.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

// Pointers, numbers and structures of callers, of which nothing is taken for granted.

namespace kompakt::c {

/// What a pointer that may not be NULL points to.
template <class T>
T& required(char const* what, T* pointer) {
  if (pointer == nullptr) refuse(std::string(what) + " is NULL", "pass a valid pointer");
  return *pointer;
}

/// A text that may not be NULL.
inline char const* required_text(char const* what, char const* text) {
  return &required(what, text);
}

/// Bytes, of which there may be none.
template <class Byte, class Pointer>
std::span<Byte> bytes_of(char const* what, Pointer* data, std::uint64_t bytes) {
  if (bytes > 0) required(what, static_cast<Byte*>(data));
  return {static_cast<Byte*>(data), static_cast<std::size_t>(bytes)};
}

/// Elements, of which there may be none.
template <class T>
std::span<T> array_of(char const* what, T* data, std::uint64_t count) {
  if (count > 0) required(what, data);
  return {data, static_cast<std::size_t>(count)};
}

/// What messages call a number: a text that is put together only if there is one.
struct Name {
  char const* what;
  char const* member = "";

  std::string text() const { return std::string(what) + member; }
};

/// One of the numbers from `first` to `last`.
/// \param type  in which the header lists them
template <class Enum>
Enum enumerator(Name const& name, std::int32_t number, char const* type, std::int32_t first,
                std::int32_t last) {
  if (number < first || number > last) {
    refuse(name.text() + " is " + std::to_string(number), std::string("use one of ") + type);
  }
  return static_cast<Enum>(number);
}

/// Bytes that a structure had when it was published: who passes less has not set its struct_size.
template <class T>
inline constexpr std::size_t first_bytes = 0;
template <>
inline constexpr std::size_t first_bytes<kompakt_settings> = 16;
template <>
inline constexpr std::size_t first_bytes<kompakt_field> = 152;
template <>
inline constexpr std::size_t first_bytes<kompakt_options> = 72;
template <>
inline constexpr std::size_t first_bytes<kompakt_info> = 352;
template <>
inline constexpr std::size_t first_bytes<kompakt_range> = 48;
template <>
inline constexpr std::size_t first_bytes<kompakt_quality> = 408;
template <>
inline constexpr std::size_t first_bytes<kompakt_entry> = 56;

/// Refuses a structure whose struct_size cannot be right.
template <class T>
void require_size(char const* what, T const& structure) {
  static_assert(first_bytes<T> > 0 && sizeof(T) >= first_bytes<T>);
  constexpr std::uint64_t most = 1 << 16;
  std::uint64_t const size = structure.struct_size;
  if (size >= first_bytes<T> && size <= most) return;
  refuse(std::string(what) + "->struct_size is " + std::to_string(size) + ", not from " +
             std::to_string(first_bytes<T>) + " to " + std::to_string(most),
         std::string("begin with ") + what + " = the function …_default() of its type");
}

/// A structure of a caller that was compiled with this header, an older or a newer one.
/// \param standard  what members are that the caller does not know
template <class T>
T read(char const* what, T const* pointer, T const& standard) {
  T const& given = required(what, pointer);
  require_size(what, given);
  auto const* const bytes = reinterpret_cast<unsigned char const*>(pointer);
  auto const size = static_cast<std::size_t>(given.struct_size);
  if (size > sizeof(T) &&
      std::any_of(bytes + sizeof(T), bytes + size, [](unsigned char b) { return b != 0; })) {
    refuse(std::string(what) + " has members behind its first " + std::to_string(sizeof(T)) +
               " bytes, which this library (" KOMPAKT_VERSION_STRING ") does not know",
           "set them to 0, or use a newer library");
  }
  T result = standard;
  std::memcpy(&result, pointer, std::min(size, sizeof(T)));
  result.struct_size = sizeof(T);
  return result;
}

/// Where a call writes a structure when it has succeeded.
template <class T>
class Result {
 public:
  /// \param pointer  NULL: nowhere
  Result(char const* what, T* pointer) : m_to(pointer) {
    if (pointer != nullptr) require_size(what, *pointer);
  }
  /// \param found  its struct_size does not matter
  void set(T const& found) const {
    if (m_to == nullptr) return;
    std::uint64_t const size = m_to->struct_size;
    auto const known = std::min(static_cast<std::size_t>(size), sizeof(T));
    std::memset(static_cast<void*>(m_to), 0, static_cast<std::size_t>(size));
    std::memcpy(static_cast<void*>(m_to), &found, known);
    m_to->struct_size = size;
  }

 private:
  T* m_to;
};
/// One that may not be NULL.
template <class T>
Result<T> required_result(char const* what, T* pointer) {
  return {what, &required(what, pointer)};
}

/// Changes a structure of the caller's that read() has taken.
template <class T>
void write_back(T* to, T const& changed) {
  std::uint64_t const size = to->struct_size;
  std::memcpy(static_cast<void*>(to), &changed,
              std::min(static_cast<std::size_t>(size), sizeof(T)));
  to->struct_size = size;
}

/// Refuses a change for which a structure of an older caller has no member.
template <class T>
void require_room(char const* what, T const* to, T const& changed, T const& before) {
  auto const room = std::min(static_cast<std::size_t>(to->struct_size), sizeof(T));
  auto const behind = [&](T const& of) {
    return reinterpret_cast<unsigned char const*>(&of) + room;
  };
  if (std::equal(behind(changed), behind(changed) + (sizeof(T) - room), behind(before))) return;
  refuse(std::string(what) + "->struct_size is " + std::to_string(to->struct_size) +
             ", which has no member for this",
         "compile with the header of this library (" KOMPAKT_VERSION_STRING ")");
}

/// The i-th element of an array whose elements have the size that the first one says.
template <class T>
T* element(T* first, std::size_t i) {
  using Byte = std::conditional_t<std::is_const_v<T>, unsigned char const, unsigned char>;
  return reinterpret_cast<T*>(reinterpret_cast<Byte*>(first) + i * first->struct_size);
}

}  // namespace kompakt::c

#endif

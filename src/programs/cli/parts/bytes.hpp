#ifndef KOMPAKT_CLI_BYTES_HPP
#define KOMPAKT_CLI_BYTES_HPP

#include <cstddef>
#include <kompakt/spaces.hpp>
#include <memory>
#include <span>

namespace kompakt::cli {

/// Host memory that only grows, and is not touched before it is used.
class HostBytes {
 public:
  /// So many, with undefined contents.
  std::span<std::byte> room(std::size_t bytes);

 private:
  std::unique_ptr<std::byte[]> m_memory;
  std::size_t m_capacity = 0;
};

/// Bytes in the memory of a space. A KokkosSession must outlive it.
class SpaceBytes {
 public:
  explicit SpaceBytes(Space space) : m_space(space) {}

  std::span<std::byte> room(std::size_t bytes);
  std::span<std::byte> copy_of(std::span<std::byte const> host);
  /// The first of them.
  void copy_to(std::span<std::byte> host) const;

 private:
  Space m_space;
  std::shared_ptr<void> m_owner;
  std::byte* m_memory = nullptr;
  std::size_t m_capacity = 0;
};

}  // namespace kompakt::cli

#endif

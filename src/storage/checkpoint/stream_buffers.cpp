#include <algorithm>
#include <checkpoint/stream_buffers.hpp>
#include <kompakt/workspace.hpp>

namespace kompakt::impl {

namespace {

// Enough for many streams, so that little is left over at the end of a block.
constexpr std::size_t preferred_block_bytes = std::size_t{64} << 20;

}  // namespace

void StreamBuffers::plan(std::size_t total_bytes, std::size_t largest_bytes,
                         std::size_t limit_bytes) {
  std::size_t const wanted = std::min({total_bytes, preferred_block_bytes, limit_bytes / 2});
  m_block_bytes = std::max(WorkspaceSizes::aligned(largest_bytes), wanted);
  m_limit_bytes = std::max(limit_bytes, 2 * m_block_bytes);
}

StreamBuffers::Block* StreamBuffers::find_free(std::size_t bytes) {
  auto const is_free = [&](auto const& block) {
    return block->streams == 0 && block->memory.bytes.size() >= bytes;
  };
  auto const found = std::find_if(m_blocks.begin(), m_blocks.end(), is_free);
  return found == m_blocks.end() ? nullptr : found->get();
}

bool StreamBuffers::may_allocate() const {
  std::size_t bytes = m_block_bytes;
  for (auto const& block : m_blocks) {
    if (block->streams > 0) bytes += block->memory.bytes.size();  // add_block() frees the others
  }
  return bytes <= m_limit_bytes;
}

StreamBuffers::Block& StreamBuffers::add_block(std::size_t bytes) {
  // What is too small by now is replaced rather than kept beside.
  std::erase_if(m_blocks, [&](auto const& block) {
    return block->streams == 0 && block->memory.bytes.size() < bytes;
  });
  m_blocks.push_back(std::make_unique<Block>(Block{m_allocate(m_block_bytes)}));
  return *m_blocks.back();
}

std::span<std::byte> StreamBuffers::room(std::size_t max_bytes) {
  std::unique_lock lock(m_mutex);
  auto const fits = [&](Block const* block) {
    return block != nullptr && block->memory.bytes.size() - block->used >= max_bytes;
  };
  if (!fits(m_current)) {
    m_current = nullptr;
    m_freed.wait(lock,
                 [&] { return (m_current = find_free(max_bytes)) != nullptr || may_allocate(); });
    if (m_current == nullptr) m_current = &add_block(max_bytes);
    m_current->used = 0;
  }
  return m_current->memory.bytes.subspan(m_current->used, max_bytes);
}

std::shared_ptr<StreamBuffers::Stream> StreamBuffers::keep(std::size_t bytes) {
  std::scoped_lock const lock(m_mutex);
  std::size_t const begin = m_current->used;
  m_current->used =
      std::min(begin + WorkspaceSizes::aligned(bytes), m_current->memory.bytes.size());
  ++m_current->streams;
  return std::make_shared<Stream>(*this, *m_current, m_current->memory.bytes.subspan(begin, bytes));
}

StreamBuffers::Stream::~Stream() {
  std::scoped_lock const lock(m_buffers.m_mutex);
  if (--m_block.streams == 0) m_buffers.m_freed.notify_one();
}

}  // namespace kompakt::impl

#include <coder/huffman/codebook.hpp>
#include <coder/table.hpp>
#include <container/reader.hpp>
#include <kompakt/codebooks.hpp>
#include <string>
#include <vector>

namespace kompakt {

namespace {

CodebookInfo codebook_of(std::span<std::byte const> stream) {
  impl::Header const header =
      impl::read_header(stream.first(impl::front_bytes(stream.size())), stream.size());
  if (impl::row_of(header.pipeline)->section != impl::seat::Huffman::row.section) {
    throw Error(Status::bad_argument, std::string("the pipeline ") + to_string(header.pipeline) +
                                          " has no codebook; only huffman does");
  }
  if (header.shape.size() == 0) return {};
  auto const head = impl::huffman::CodebookHead::of(header.coder_head);
  std::byte const* const section = stream.data() + header.sections[impl::SectionId::coder].offset;
  using Words = std::vector<std::uint64_t>;
  Words book_memory(impl::huffman::DecodeBook::bytes(head.radius) / 8 + 1);
  Words scratch(impl::huffman::DecodeBookMemory::bytes(impl::huffman::default_radius) / 8 + 1);
  auto* const book = reinterpret_cast<impl::huffman::DecodeBook*>(book_memory.data());
  bool const sound = book->make(impl::SingleThreadTeam{}, head, section,
                                reinterpret_cast<std::byte*>(scratch.data()));
  if (!sound || impl::checksum_bytes(section, head.section_bytes(),
                                     static_cast<std::uint32_t>(impl::SectionId::coder)) !=
                    header.coder_checksum) {
    throw Error(Status::corrupt, "the codebook is damaged; the stream was altered");
  }
  return impl::info_of(header).codebook;
}

}  // namespace

CodebookInfo inspect_codebook(std::span<std::byte const> stream) {
  return impl::named("inspect_codebook", [&] { return codebook_of(stream); });
}

}  // namespace kompakt

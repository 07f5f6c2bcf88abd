#include <api/checks.hpp>
#include <api/codebooks.hpp>
#include <coder/huffman/codebook.hpp>
#include <container/reader.hpp>
#include <container/writer.hpp>
#include <string>
#include <vector>

namespace kompakt {

namespace impl {

void require_codebook_pipeline(char const* function, Pipeline pipeline) {
  if (pipeline == Pipeline::huffman) return;
  throw Error(Status::bad_argument, std::string(function) + ": the pipeline " +
                                        to_string(pipeline) +
                                        " has no codebook; only huffman does");
}

CodebookInfo codebook_info(huffman::CodebookHead head) {
  CodebookInfo info;
  info.radius = head.radius;
  info.bytes = head.section_bytes();
  info.symbols_only = head.symbols_only;
  if (head.of_dictionary) {
    info.dictionary = huffman::Dictionary::id;
    info.books[0] = head.books.symbols;
    if (!head.symbols_only) info.books = {head.books.symbols, head.books.masks, head.books.quads};
  }
  return info;
}

}  // namespace impl

CodebookInfo inspect_codebook(std::span<std::byte const> stream) {
  char const* const function = "inspect_codebook";
  impl::CheckedHeader const header =
      impl::read_header(function, stream.first(impl::front_bytes(stream.size())), stream.size());
  impl::require_codebook_pipeline(function, header.info.pipeline);
  if (header.info.shape.size() == 0) return {};
  impl::huffman::CodebookHead const head = impl::require_codebook_head(function, header.front);
  std::byte const* const section = stream.data() + header.front.codebook;
  using Words = std::vector<std::uint64_t>;
  Words book_memory(impl::huffman::DecodeBook::bytes(head.radius) / 8 + 1);
  Words scratch(impl::huffman::DecodeBookMemory::bytes(impl::huffman::default_radius) / 8 + 1);
  auto* const book = reinterpret_cast<impl::huffman::DecodeBook*>(book_memory.data());
  bool const sound = book->make(impl::SingleThreadTeam{}, head, section,
                                reinterpret_cast<std::byte*>(scratch.data()));
  if (!sound || impl::checksum_bytes(section, head.section_bytes(),
                                     static_cast<std::uint32_t>(impl::SectionId::codebook)) !=
                    header.front.codebook_checksum) {
    throw Error(Status::corrupt,
                std::string(function) + ": the codebook is damaged; the stream was altered");
  }
  return impl::codebook_info(head);
}

}  // namespace kompakt

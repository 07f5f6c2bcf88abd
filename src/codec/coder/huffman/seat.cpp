#include <coder/huffman/codebook.hpp>
#include <coder/huffman/seat.hpp>
#include <string>

namespace kompakt::impl::huffman {

void validate(Options const& options) {
  if (options.variant != Variant::dictionary || options.radius == default_radius) return;
  throw Error(
      Status::bad_argument, "options",
      "the dictionary's codebooks are for the radius 512, not " + std::to_string(options.radius),
      "use the variant custom");
}

std::size_t max_section_bytes(int radius) { return max_codebook_bytes(radius); }

bool tell(std::uint64_t head, std::size_t bytes, StreamInfo& info) {
  auto const of_book = CodebookHead::of(head);
  if (of_book.radius == 0 || of_book.section_bytes() != bytes) return false;
  CodebookInfo& book = info.codebook;
  book.radius = of_book.radius;
  book.bytes = bytes;
  book.symbols_only = of_book.symbols_only;
  if (!of_book.of_dictionary) return true;
  book.dictionary = Dictionary::id;
  book.books[0] = of_book.books.symbols;
  if (!of_book.symbols_only) {
    book.books = {of_book.books.symbols, of_book.books.masks, of_book.books.quads};
  }
  return true;
}

}  // namespace kompakt::impl::huffman

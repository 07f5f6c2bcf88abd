#include <kompakt/printable.hpp>

namespace kompakt {

namespace {

bool is_break(char c) { return c == '\t' || c == '\n' || c == '\r'; }

std::string escaped(char c) {
  constexpr char digits[] = "0123456789abcdef";
  switch (c) {
    case '\t': return "\\t";
    case '\n': return "\\n";
    case '\r': return "\\r";
    default: break;
  }
  auto const byte = static_cast<unsigned char>(c);
  return {'\\', 'x', digits[byte >> 4], digits[byte & 0xf]};
}

}  // namespace

std::size_t letter_bytes(std::string_view text) {
  auto const byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  unsigned const first = byte(0);
  if (first < 0x80) {
    bool const is_control = first < 0x20 || first == 0x7f;
    return is_control && (text.empty() || !is_break(text[0])) ? 0 : 1;
  }
  std::size_t const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  unsigned code = first & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0u) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
  bool const is_control = code < 0xa0, is_surrogate = code >= 0xd800 && code < 0xe000;
  return code < least[length] || code > 0x10ffff || is_control || is_surrogate ? 0 : length;
}

bool is_text(std::string_view text) {
  while (!text.empty()) {
    std::size_t const length = letter_bytes(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    std::size_t const length = is_break(text[0]) ? 0 : letter_bytes(text);
    if (length == 0) {
      line += escaped(text[0]);
      text.remove_prefix(1);
    } else {
      line += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return line;
}

}  // namespace kompakt

#include "raw.hpp"
#include <utility>

namespace kompakt::files {

namespace {

class RawReader final : public FieldReader {
 public:
  explicit RawReader(RawFieldReader file) : m_file(std::move(file)) {}

  bool can_rewind() const override { return m_file.can_rewind(); }
  void rewind() override { m_file.rewind(); }
  void read(std::span<std::byte> values) override { m_file.read(values); }
  void require_end() override { m_file.require_end(); }

 private:
  RawFieldReader m_file;
};

class RawWriter final : public FieldWriter {
 public:
  explicit RawWriter(OutputFile file) : m_file(std::move(file)) {}

  void begin(Variable const&) override {}
  void write(std::span<std::byte const> values) override { m_file.write(values); }
  void commit() override { m_file.commit(); }

 private:
  OutputFile m_file;
};

}  // namespace

std::unique_ptr<FieldReader> read_raw(InputFile file, FieldShape const& shape) {
  return std::make_unique<RawReader>(RawFieldReader(std::move(file), shape));
}

std::unique_ptr<FieldWriter> write_raw(OutputFile file) {
  return std::make_unique<RawWriter>(std::move(file));
}

}  // namespace kompakt::files

#include "archives.hpp"
#include "codec.hpp"
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kompakt::python {

namespace {

using Lock = std::lock_guard<std::mutex>;
using AttributeTexts = std::vector<std::pair<std::string, std::string>>;

AttributeTexts texts_of(nb::dict const& attributes) {
  AttributeTexts texts;
  for (auto const& [key, value] : attributes) {
    texts.emplace_back(nb::cast<std::string>(key), nb::cast<std::string>(value));
  }
  return texts;
}

std::vector<kompakt_attribute> pointers_of(AttributeTexts const& texts) {
  std::vector<kompakt_attribute> result;
  for (auto const& [key, value] : texts) result.push_back({key.c_str(), value.c_str()});
  return result;
}

class ArchiveReader {
 public:
  explicit ArchiveReader(nb::bytes const& path) {
    kompakt_archive_reader* reader = nullptr;
    without_gil([&] { check(kompakt_archive_open(path.c_str(), &reader)); });
    m_reader.reset(reader);
  }
  /// An archive whose bytes a function fetches.
  ArchiveReader(nb::callable const& read, std::uint64_t size, std::string const& name) {
    m_fetcher = Fetcher(read);
    ReadAt const kept = [fetcher = m_fetcher, raised = m_raised](std::uint64_t position,
                                                                 std::span<std::byte> destination) {
      try {
        fetcher(position, destination);
      } catch (...) {
        *raised = std::current_exception();
        throw;
      }
    };
    without_gil([&] { m_reader.reset(open_archive(name, size, kept)); });
  }
  Fetcher const& fetcher() const { return m_fetcher; }
  void clear() {
    m_reader.reset();
    m_fetcher = {};
  }

  nb::list names() const {
    std::uint64_t count = 0;
    check(kompakt_archive_count(m_reader.get(), &count));
    nb::list list;
    for (std::uint64_t i = 0; i < count; ++i) list.append(entry(i).name);
    return list;
  }
  std::uint64_t find(std::string const& name) const {
    std::uint64_t number = 0;
    check(kompakt_archive_find(m_reader.get(), name.c_str(), &number));
    return number;
  }
  nb::dict attributes(std::uint64_t number) const {
    kompakt_entry const found = entry(number);
    nb::dict d;
    for (std::uint64_t i = 0; i < found.attribute_count; ++i) {
      d[found.attributes[i].key] = found.attributes[i].value;
    }
    return d;
  }
  nb::tuple identity(std::uint64_t number) const {
    kompakt_entry const found = entry(number);
    return nb::make_tuple(found.bytes, found.checksum);
  }
  nb::dict info(std::uint64_t number) {
    kompakt_info info = kompakt_info_default();
    without_gil([&] {
      Lock const lock(m_mutex);
      require(kompakt_archive_inspect(m_reader.get(), number, &info));
    });
    return dict_of(info);
  }
  nb::object stream(std::uint64_t number) {
    std::uint64_t const bytes = entry(number).bytes;
    nb::object result =
        nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(bytes)));
    if (!result.is_valid()) throw nb::python_error();
    void* const to = PyBytes_AsString(result.ptr());
    without_gil([&] {
      Lock const lock(m_mutex);
      require(kompakt_archive_read(m_reader.get(), number, to, bytes));
    });
    return result;
  }
  nb::object region(std::uint64_t number, nb::sequence const& begin, nb::sequence const& end,
                    nb::handle out, int threads, kompakt_space space, std::uintptr_t stream) {
    kompakt_info info = kompakt_info_default();
    without_gil([&] {
      Lock const lock(m_mutex);
      require(kompakt_archive_inspect(m_reader.get(), number, &info));
    });
    BoxArgument const box(begin, end, info.rank);
    Target target(out, box.field_of(info));
    Array const& array = target.array();
    ExecTarget const on = exec_target_of(threads, space, stream, array.is_on_device());
    without_gil([&] {
      LentContext const context(on, array.bytes());
      Lock const lock(m_mutex);
      require(kompakt_archive_decompress_region(context, m_reader.get(), number, box.begin.data(),
                                                box.end.data(), &array.field(), array.values(),
                                                nullptr));
    });
    return target.take();
  }

 private:
  struct Close {
    void operator()(kompakt_archive_reader* reader) const { kompakt_archive_close(reader); }
  };

  /// check(), but what the function that fetches bytes has raised comes through as it is.
  void require(kompakt_status status) const {
    std::exception_ptr const raised = std::exchange(*m_raised, nullptr);
    if (status != KOMPAKT_OK && raised) std::rethrow_exception(raised);
    check(status);
  }
  kompakt_entry entry(std::uint64_t number) const {
    kompakt_entry entry = kompakt_entry_default();
    check(kompakt_archive_entry(m_reader.get(), number, &entry));
    return entry;
  }

  std::mutex m_mutex;
  Fetcher m_fetcher;
  std::shared_ptr<std::exception_ptr> m_raised = std::make_shared<std::exception_ptr>();
  std::unique_ptr<kompakt_archive_reader, Close> m_reader;
};

class ArchiveWriter {
 public:
  ArchiveWriter(nb::bytes const& path, kompakt_archive_mode mode, std::uint64_t wait_ms) {
    kompakt_archive_writer* writer = nullptr;
    without_gil([&] { check(kompakt_archive_create(path.c_str(), mode, wait_ms, &writer)); });
    m_writer.reset(writer);
  }

  void append(std::string const& name, nb::dict const& attributes, nb::handle stream) {
    AttributeTexts const texts = texts_of(attributes);
    auto const pointers = pointers_of(texts);
    Bytes const bytes(stream, "stream", Access::read);
    locked([&] {
      check(kompakt_archive_append(m_writer.get(), name.c_str(), pointers.data(), pointers.size(),
                                   bytes.data(), bytes.size()));
    });
  }
  void remove(std::string const& name) {
    locked([&] { check(kompakt_archive_remove(m_writer.get(), name.c_str())); });
  }
  void commit() {
    locked([&] { check(kompakt_archive_commit(m_writer.get())); });
  }
  void discard() {
    locked([&] { m_writer.reset(); });
  }

 private:
  struct Discard {
    void operator()(kompakt_archive_writer* writer) const { kompakt_archive_discard(writer); }
  };

  template <class Work>
  void locked(Work const& work) {
    without_gil([&] {
      Lock const lock(m_mutex);
      work();
    });
  }

  std::mutex m_mutex;
  std::unique_ptr<kompakt_archive_writer, Discard> m_writer;
};

}  // namespace

void define_archives(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<ArchiveReader>(module, "ArchiveReader",
                            nb::type_slots(Collected<ArchiveReader>::slots))
      .def(nb::init<nb::bytes const&>(), "path"_a)
      .def(nb::init<nb::callable const&, std::uint64_t, std::string const&>(), "read"_a, "size"_a,
           "name"_a)
      .def("names", &ArchiveReader::names)
      .def("find", &ArchiveReader::find, "name"_a)
      .def("attributes", &ArchiveReader::attributes, "number"_a)
      .def("identity", &ArchiveReader::identity, "number"_a)
      .def("info", &ArchiveReader::info, "number"_a)
      .def("stream", &ArchiveReader::stream, "number"_a)
      .def("region", &ArchiveReader::region, "number"_a, "begin"_a, "end"_a, "out"_a.none(),
           "threads"_a, "space"_a, "stream"_a);
  nb::class_<ArchiveWriter>(module, "ArchiveWriter")
      .def(nb::init<nb::bytes const&, kompakt_archive_mode, std::uint64_t>(), "path"_a, "mode"_a,
           "wait_ms"_a)
      .def("append", &ArchiveWriter::append, "name"_a, "attributes"_a, "stream"_a)
      .def("remove", &ArchiveWriter::remove, "name"_a)
      .def("commit", &ArchiveWriter::commit)
      .def("discard", &ArchiveWriter::discard);
}

}  // namespace kompakt::python

#ifndef KOMPAKT_UNIT_TEST_HDF5_H5Z_CASE_HPP
#define KOMPAKT_UNIT_TEST_HDF5_H5Z_CASE_HPP

#include <gtest/gtest.h>

#include <kompakt/hdf5.hpp>
#include <string>
#include <support/codec.hpp>
#include <support/fields.hpp>
#include <vector>

namespace kompakt::test {

template <class T>
hid_t hdf5_type() {
  return sizeof(T) == 4 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
}

/// A file in memory.
class MemoryFile {
 public:
  MemoryFile() {
    hid_t const fapl = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(fapl, 1 << 20, false);
    m_id = H5Fcreate("h5z.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    H5Pclose(fapl);
  }
  ~MemoryFile() { H5Fclose(m_id); }
  MemoryFile(MemoryFile const&) = delete;
  MemoryFile& operator=(MemoryFile const&) = delete;
  operator hid_t() const { return m_id; }

 private:
  hid_t m_id;
};

/// A property list for datasets with these chunks.
class Dcpl {
 public:
  explicit Dcpl(std::vector<hsize_t> const& chunk) : m_id(H5Pcreate(H5P_DATASET_CREATE)) {
    H5Pset_chunk(m_id, static_cast<int>(chunk.size()), chunk.data());
  }
  ~Dcpl() { H5Pclose(m_id); }
  Dcpl(Dcpl const&) = delete;
  Dcpl& operator=(Dcpl const&) = delete;
  operator hid_t() const { return m_id; }

 private:
  hid_t m_id;
};

/// The descriptions on HDF5's error stack, a line each.
inline std::string error_stack() {
  std::string text;
  auto const add = [](unsigned, H5E_error2_t const* error, void* to) -> herr_t {
    *static_cast<std::string*>(to) += std::string(error->desc) + "\n";
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, add, &text);
  return text;
}

class Dataset {
 public:
  /// Negative if HDF5 refuses.
  Dataset(hid_t file, hid_t type, std::vector<hsize_t> const& extents, hid_t dcpl) {
    hid_t const space = H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
    m_id = H5Dcreate2(file, "x", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    if (m_id < 0) m_error = error_stack();
    H5Sclose(space);
  }
  ~Dataset() {
    if (m_id >= 0) H5Dclose(m_id);
  }
  Dataset(Dataset const&) = delete;
  Dataset& operator=(Dataset const&) = delete;
  operator hid_t() const { return m_id; }
  /// Why it could not be created.
  std::string const& error() const { return m_error; }

  template <class T>
  herr_t write(std::vector<T> const& values) const {
    herr_t const status =
        H5Dwrite(m_id, hdf5_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    return status < 0 ? status : H5Dflush(m_id);
  }
  template <class T>
  std::vector<T> read(std::size_t count) const {
    std::vector<T> values(count);
    EXPECT_GE(H5Dread(m_id, hdf5_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    return values;
  }
  std::size_t stored_bytes() const { return H5Dget_storage_size(m_id); }

 private:
  hid_t m_id;
  std::string m_error;
};

inline FieldShape shape_of(std::vector<hsize_t> const& extents, Dtype dtype) {
  FieldShape shape;
  shape.dtype = dtype;
  shape.rank = static_cast<int>(extents.size());
  std::copy(extents.begin(), extents.end(), shape.extents.begin());
  return shape;
}

/// HDF5 prints no errors while it lives.
class Quiet {
 public:
  Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &m_function, &m_data);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, m_function, m_data); }
  Quiet(Quiet const&) = delete;
  Quiet& operator=(Quiet const&) = delete;

 private:
  H5E_auto2_t m_function = nullptr;
  void* m_data = nullptr;
};

}  // namespace kompakt::test

#endif

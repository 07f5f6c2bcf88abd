#include "block_codec.hpp"
#include "loader.hpp"
#include "parameters.hpp"
#include <adios2/common/ADIOSBaseTypes.h>
#include <adios2/common/ADIOSConfig.h>
#include <adios2/plugin/PluginOperatorInterface.h>
#include <optional>
#include <stdexcept>
#include <string>

// What ADIOS2 looks for in the plugin of an operator, and the class that it calls.

namespace kompakt::adios2 {

namespace {

using ::adios2::DataType;
using ::adios2::Dims;
using ::adios2::Params;

std::optional<Dtype> dtype_of(DataType type) {
  switch (type) {
    case DataType::Float: return Dtype::f32;
    case DataType::Double: return Dtype::f64;
    case DataType::Char:  // what Python's package makes of the latter
    case DataType::Int8: return Dtype::i8;
    case DataType::UInt8: return Dtype::u8;
    case DataType::Int16: return Dtype::i16;
    case DataType::UInt16: return Dtype::u16;
    case DataType::Int32: return Dtype::i32;
    case DataType::UInt32: return Dtype::u32;
    case DataType::Int64: return Dtype::i64;
    case DataType::UInt64: return Dtype::u64;
    case DataType::FloatComplex: return Dtype::c64;
    case DataType::DoubleComplex: return Dtype::c128;
    default: return std::nullopt;
  }
}

std::size_t bytes_of(DataType type) {
  if (std::size_t const bytes = ::adios2::GetDataTypeSize(type); bytes > 0) return bytes;
  throw Error(Status::bad_argument,
              "values of ADIOS2's type number " + std::to_string(static_cast<int>(type)) +
                  " have no size of their own",
              "write them without an operator");
}

/// Calls body(); what it throws leaves as an exception that ADIOS2 and its bindings know, with who says so.
template <class Body>
auto as_adios2(std::string const& variable, Body const& body) {
  try {
    return body();
  } catch (Error const& error) {
    std::string const of = variable.empty() ? "" : ", variable " + variable;
    std::string const message = "the operator kompakt" + of + ": " + error.what();
    if (error.status() == Status::bad_argument) throw std::invalid_argument(message);
    throw std::runtime_error(message);
  }
}

class BlockOperator final : public ::adios2::plugin::PluginOperatorInterface {
 public:
  using PluginOperatorInterface::PluginOperatorInterface;

  std::size_t Operate(char const* values, Dims const&, Dims const& count, DataType const type,
                      char* out) override {
    return as_adios2(m_variable, [&] {
      BlockValues const block{reinterpret_cast<std::byte const*>(values), dtype_of(type),
                              bytes_of(type), count};
      return write_block(coding_of(m_Parameters), target_of(m_Parameters), block,
                         reinterpret_cast<std::byte*>(out));
    });
  }

  std::size_t InverseOperate(char const* block, std::size_t const bytes, char* out) override {
    return as_adios2(m_variable, [&] {
      std::span const found(reinterpret_cast<std::byte const*>(block), bytes);
      std::size_t const values =
          read_block(found, target_of(m_Parameters), reinterpret_cast<std::byte*>(out),
                     memory_of(m_Parameters));
      // ADIOS2 takes 0 for "nothing has been done", and copies the block itself.
      return values == 0 ? std::size_t{1} : values;
    });
  }

  bool IsDataTypeValid(DataType const type) const override { return dtype_of(type).has_value(); }

  std::size_t GetEstimatedSize(std::size_t const count, std::size_t const value_bytes,
                               std::size_t const, std::size_t const*) const override {
    return max_bytes(count * value_bytes);
  }

  void AddExtraParameters(Params const& more) override {
    auto const name = more.find("VariableName");
    m_variable = name == more.end() ? "" : name->second;
  }

 private:
  std::string m_variable;
};

/// Refuses what would be refused at the first block: ADIOS2 cannot go on after an operator that fails then. Readers are
/// given no parameters at all.
void require_usable(Params const& parameters) {
  if (parameters.count("pluginname") == 0) return;
  coding_of(parameters);
  require_space(target_of(parameters));
}

}  // namespace

}  // namespace kompakt::adios2

extern "C" {

adios2::plugin::PluginOperatorInterface* OperatorCreate(adios2::Params const& parameters) {
  using namespace kompakt::adios2;
  void const* const caller = __builtin_return_address(0);
  return as_adios2("", [&] {
    bool const vouched = interface_of(parameters) == ADIOS2_PLUGIN_OPERATOR_INTERFACE;
    require_loader(loader_of(caller), {ADIOS2_VERSION_MAJOR, ADIOS2_VERSION_MINOR}, vouched);
    require_usable(parameters);
    return new BlockOperator(parameters);
  });
}

void OperatorDestroy(adios2::plugin::PluginOperatorInterface* used) { delete used; }
}

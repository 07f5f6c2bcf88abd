// What docs/integrations/adios2.md shows of C++: the code between "[adios2 NAME]" and "[/adios2]" is printed there.
//
// usage: ADIOS2_PLUGIN_PATH=… example_adios2 FILE LIBRARY

#include <adios2.h>
#include <adios2/plugin/PluginOperatorInterface.h>
#include <cmath>
#include <cstdlib>
#include <dlfcn.h>
#include <iostream>
#include <string>
#include <vector>

static double largest_error(std::vector<double> const& x, std::vector<double> const& y) {
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) largest = std::fmax(largest, std::fabs(x[i] - y[i]));
  return largest;
}

static std::vector<double> through_adios2(std::string const& path,
                                          std::vector<double> const& field) {
  // [adios2 cpp]
  adios2::ADIOS adios;
  adios2::IO io = adios.DeclareIO("run");
  adios2::Operator kompakt = adios.DefineOperator(
      "kompakt", "plugin",
      {{"PluginName", "kompakt"}, {"PluginLibrary", "kompakt_adios2"}, {"bound", "0.01"}});
  auto variable = io.DefineVariable<double>("t", {64, 64, 64}, {0, 0, 0}, {64, 64, 64});
  variable.AddOperation(kompakt);
  adios2::Engine engine = io.Open(path, adios2::Mode::Write);
  engine.BeginStep();
  engine.Put(variable, field.data());
  engine.EndStep();
  engine.Close();
  // [/adios2]
  std::vector<double> restored;
  adios2::Engine reader = adios.DeclareIO("read").Open(path, adios2::Mode::ReadRandomAccess);
  adios2::IO reading = adios.AtIO("read");
  reader.Get(reading.InquireVariable<double>("t"), restored, adios2::Mode::Sync);
  reader.Close();
  return restored;
}

static std::vector<double> without_adios2(char const* library, std::vector<double> const& field) {
  // [adios2 direct]
  using Operator = adios2::plugin::PluginOperatorInterface;
  void* const plugin = dlopen(library, RTLD_NOW);
  auto const create = (Operator * (*)(adios2::Params const&)) dlsym(plugin, "OperatorCreate");
  auto const destroy = (void (*)(Operator*))dlsym(plugin, "OperatorDestroy");

  // "memory": pointers to values point into the space, with "space": "cuda" into a GPU.
  // Blocks are in host memory.
  Operator* const kompakt = create({{"interface", std::to_string(ADIOS2_PLUGIN_OPERATOR_INTERFACE)},
                                    {"bound", "0.01"},
                                    {"memory", "space"}});
  adios2::Dims const count{64, 64, 64};
  std::vector<char> block(kompakt->GetEstimatedSize(field.size(), sizeof(double), 3, count.data()));
  block.resize(kompakt->Operate((char const*)field.data(), {}, count, adios2::DataType::Double,
                                block.data()));
  std::vector<double> restored(field.size());
  kompakt->InverseOperate(block.data(), block.size(), (char*)restored.data());
  destroy(kompakt);
  // [/adios2]
  return restored;
}

int main(int argc, char** argv) {
  if (argc != 3) return EXIT_FAILURE;
  std::vector<double> field(64 * 64 * 64);
  for (std::size_t i = 0; i < field.size(); ++i) field[i] = 10 * std::sin(1e-3 * double(i));
  double const error = std::fmax(largest_error(field, through_adios2(argv[1], field)),
                                 largest_error(field, without_adios2(argv[2], field)));
  std::cout << "largest error " << error << "\n";
  return error <= 0.01 ? EXIT_SUCCESS : EXIT_FAILURE;
}

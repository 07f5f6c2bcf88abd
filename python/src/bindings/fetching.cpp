#include "fetching.hpp"
#include "codec.hpp"
#include "region_plan.hpp"
#include <algorithm>
#include <mutex>
#include <string>

namespace kompakt::python {

namespace {

/// The ranges of a stream that a box takes, and the bytes of these as they come.
class Plan {
 public:
  Plan(nb::handle front, std::uint64_t bytes, nb::sequence const& begin, nb::sequence const& end,
       int rank)
      : m_plan(make(Bytes(front, "front", Access::read), bytes, BoxArgument(begin, end, rank))) {}

  nb::list wanted() {
    std::vector<RegionPlan::Wanted> parts;
    locked([&] { parts = m_plan.wanted(); });
    nb::list list;
    for (auto const& part : parts) list.append(nb::make_tuple(part.position, part.to.size()));
    return list;
  }
  void give(nb::sequence const& buffers) {
    std::vector<Bytes> given;
    for (nb::handle const buffer : buffers) given.emplace_back(buffer, "a range", Access::read);
    locked([&] {
      auto const parts = m_plan.wanted();
      require_as_wanted(parts, given);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        std::copy_n(given[i].data(), given[i].size(), parts[i].to.begin());
      }
      m_plan.next();
    });
  }
  nb::bytes take() {
    std::vector<std::byte> stream;
    locked([&] { stream = m_plan.take(); });
    return nb::bytes(stream.data(), stream.size());
  }

 private:
  static RegionPlan make(Bytes const& front, std::uint64_t bytes, BoxArgument const& box) {
    return {front.span(), bytes, box.begin, box.end};
  }
  static void require_as_wanted(std::vector<RegionPlan::Wanted> const& wanted,
                                std::vector<Bytes> const& given) {
    if (wanted.size() != given.size()) {
      throw Error(Status::bad_argument, "RegionPlan.give: " + std::to_string(given.size()) +
                                            " ranges were given, but " +
                                            std::to_string(wanted.size()) + " are wanted");
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i].to.size() == given[i].size() && !given[i].is_on_device()) continue;
      throw Error(Status::bad_argument, "RegionPlan.give: range " + std::to_string(i) + " has " +
                                            std::to_string(given[i].size()) + " bytes, but " +
                                            std::to_string(wanted[i].to.size()) +
                                            " in host memory are wanted");
    }
  }
  template <class Work>
  void locked(Work const& work) {
    without_gil([&] {
      std::lock_guard const lock(m_mutex);
      work();
    });
  }

  std::mutex m_mutex;
  RegionPlan m_plan;
};

nb::dict inspect_front(nb::handle front) {
  Bytes const bytes(front, "front", Access::read);
  kompakt_info info = kompakt_info_default();
  check(kompakt_inspect(bytes.data(), std::min<std::size_t>(bytes.size(), 1024), &info));
  return dict_of(info);
}

}  // namespace

void define_fetching(nb::module_& module) {
  using namespace nb::literals;
  module.def("inspect_front", &inspect_front, "front"_a);
  nb::class_<Plan>(module, "RegionPlan")
      .def(nb::init<nb::handle, std::uint64_t, nb::sequence const&, nb::sequence const&, int>(),
           "front"_a, "bytes"_a, "begin"_a, "end"_a, "ndim"_a)
      .def("wanted", &Plan::wanted)
      .def("give", &Plan::give, "buffers"_a)
      .def("take", &Plan::take);
}

}  // namespace kompakt::python

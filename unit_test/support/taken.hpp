#ifndef KOMPAKT_UNIT_TEST_SUPPORT_TAKEN_HPP
#define KOMPAKT_UNIT_TEST_SUPPORT_TAKEN_HPP

#include <gtest/gtest.h>

#include <kompakt/workspace.hpp>

namespace kompakt::test {

/// Whether a workspace has taken what a query says: packing as much as its stream needs, all else exactly.
template <class Exec>
void expect_taken(Workspace<Exec> const& workspace, WorkspaceSizes query) {
  EXPECT_LE(workspace.sizes().packing, query.packing);
  EXPECT_LE(workspace.capacity_bytes(), query.device_bytes());
  query.packing = workspace.sizes().packing;
  EXPECT_EQ(workspace.sizes(), query);
}

}  // namespace kompakt::test

#endif

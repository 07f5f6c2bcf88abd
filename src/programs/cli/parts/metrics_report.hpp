#ifndef KOMPAKT_CLI_METRICS_REPORT_HPP
#define KOMPAKT_CLI_METRICS_REPORT_HPP

#include "report.hpp"
#include <kompakt/metrics.hpp>

namespace kompakt::cli {

/// Adds the quality of a reconstruction: the basic metrics, and those that were asked for.
/// \param bound     that was checked
/// \param original  with the units of both
void describe(Report& report, Metrics const& metrics, ErrorBound const& bound,
              MetricsOptions const& options, files::Variable const& original);

/// Adds the quality of integers, which are either what they were or not.
void describe_integers(Report& report, Metrics const& metrics);

}  // namespace kompakt::cli

#endif

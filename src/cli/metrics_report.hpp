#ifndef KOMPAKT_CLI_METRICS_REPORT_HPP
#define KOMPAKT_CLI_METRICS_REPORT_HPP

#include "report.hpp"
#include <kompakt/metrics.hpp>

namespace kompakt::cli {

/// Adds the quality of a reconstruction: the basic metrics, and those that were asked for.
/// \param bound  that was checked
void describe(Report& report, Metrics const& metrics, ErrorBound const& bound,
              MetricsOptions const& options);

}  // namespace kompakt::cli

#endif

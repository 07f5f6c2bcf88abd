#include <cmath>
#include <kompakt/metrics.hpp>
#include <limits>

namespace kompakt {

double ErrorStats::rmse() const {
  std::uint64_t const finite = values - nonfinite;
  return finite == 0 ? 0 : std::sqrt(sum_squares / static_cast<double>(finite));
}

double ErrorStats::nrmse() const {
  double const error = rmse();
  return error == 0 ? 0 : error / range();
}

double ErrorStats::psnr_db() const {
  double const relative = nrmse();
  return relative == 0 ? std::numeric_limits<double>::infinity() : -20 * std::log10(relative);
}

}  // namespace kompakt

#ifndef KOMPAKT_CODER_FIXEDLENGTH_KERNELS_HPP
#define KOMPAKT_CODER_FIXEDLENGTH_KERNELS_HPP

// Nothing but the records: this coder has no section (pipeline/coder_setup.hpp).
#include <coder/fixedlength/record.hpp>

#endif

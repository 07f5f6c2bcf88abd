#ifndef KOMPAKT_CODER_BITSHUFFLE_KERNELS_HPP
#define KOMPAKT_CODER_BITSHUFFLE_KERNELS_HPP

// Nothing but the records: this coder has no section (pipeline/coder_setup.hpp).
#include <coder/bitshuffle/record.hpp>

#endif

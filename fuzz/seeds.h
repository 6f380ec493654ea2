// Seeds for fuzz targets: our own few, testdata/, and what the optional corpora
// hold (small files only).
#ifndef HLOKIT_FUZZ_SEEDS_H_
#define HLOKIT_FUZZ_SEEDS_H_

#include <string>
#include <vector>

#include "fuzz/target.h"

namespace hlokit::fuzz {

std::vector<std::string> CollectSeeds(Seeds kind);

}  // namespace hlokit::fuzz

#endif  // HLOKIT_FUZZ_SEEDS_H_

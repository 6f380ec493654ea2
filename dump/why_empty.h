// Why a dump folder lacks what somebody expected to find in it.
#ifndef HLOKIT_DUMP_WHY_EMPTY_H_
#define HLOKIT_DUMP_WHY_EMPTY_H_

#include <functional>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "dump/dump_index.h"

namespace hlokit {

struct WhyEmptyFinding {
  enum Kind { kCause, kMissing, kNote };
  Kind kind;
  std::string what;
  std::string remedy;  // a flag or a thing to do; may be empty
};

struct WhyEmptyQuery {
  std::string xla_flags;  // their value at the time
  bool flags_known = false;
  std::string folder;     // "": the one that the flags name
  std::function<const char*(const char*)> getenv;
};

// Causes first (why there is nothing, or so little), then each kind of dump
// that is missing with the flag that gives it.
std::vector<WhyEmptyFinding> WhyEmpty(const FileSystem& files,
                                      const WhyEmptyQuery& query);

}  // namespace hlokit

#endif  // HLOKIT_DUMP_WHY_EMPTY_H_

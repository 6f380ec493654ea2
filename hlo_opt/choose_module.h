// Chooses one module of a file by name.
#ifndef HLOKIT_HLO_OPT_CHOOSE_MODULE_H_
#define HLOKIT_HLO_OPT_CHOOSE_MODULE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "hlo/parse/parser.h"

namespace hlokit {

// How a person names a module: its header's name, or its banner's.
struct ModuleNames {
  std::string name;
  std::string banner;
};

// Whether `wanted` is one of these names, the banner without its ending, or
// NAME#N for the N-th of several modules of that name; `before` counts the
// modules of the same name before it.
bool IsWantedModule(const ModuleNames& names, absl::string_view wanted,
                    int64_t before);

// Keeps the pieces that `wanted` names; all of them when it is empty. NotFound
// with the names that there are, and the nearest, when no piece has the name.
absl::Status KeepWantedModules(absl::string_view file, absl::string_view wanted,
                               std::vector<ModuleText>* pieces);

// NotFound: "FILE: no module is called 'x'; did you mean 'y'? It holds: ...".
absl::Status NoSuchModule(absl::string_view file, absl::string_view wanted,
                          const std::vector<std::string>& names);

// "a, b, c and 7 more".
std::string ListOfNames(std::vector<std::string> names);

}  // namespace hlokit

#endif  // HLOKIT_HLO_OPT_CHOOSE_MODULE_H_

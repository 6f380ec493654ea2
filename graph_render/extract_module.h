// A part of a computation as a module of its own.
#ifndef HLOKIT_GRAPH_RENDER_EXTRACT_MODULE_H_
#define HLOKIT_GRAPH_RENDER_EXTRACT_MODULE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph_render/node_filter.h"
#include "hlo/ir/module.h"

namespace hlokit {

// The name of the tuple that joins several results.
inline constexpr absl::string_view kExtractedResults = "results";

// The instructions that the filter shows become the entry of a new module, with
// all that they call. Operands outside become parameters of the same name. What
// no shown instruction uses is the result, a tuple when there are several.
// Names stay as far as they can. InvalidArgument when nothing is shown.
absl::StatusOr<std::unique_ptr<Module>> ExtractModule(const NodeFilter& filter,
                                                      absl::string_view name);

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_EXTRACT_MODULE_H_

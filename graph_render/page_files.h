// The files of page/, put into the program at build time by embed_page.cmake.
#ifndef HLOKIT_GRAPH_RENDER_PAGE_FILES_H_
#define HLOKIT_GRAPH_RENDER_PAGE_FILES_H_

#include "absl/strings/string_view.h"

namespace hlokit {

extern const absl::string_view kPageSkeleton;
extern const absl::string_view kPageStyle;
extern const absl::string_view kPageScript;
// In hexadecimal digits.
extern const absl::string_view kPageStyleSha256;
extern const absl::string_view kPageScriptSha256;

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_RENDER_PAGE_FILES_H_

// Files with numbers of instructions: times, bytes, differences, NaN counts.
#ifndef HLOKIT_GRAPH_TOOLS_OVERLAY_FILE_H_
#define HLOKIT_GRAPH_TOOLS_OVERLAY_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph_render/graph.h"
#include "graph_render/html_page.h"

namespace hlokit {

// Two forms:
//   JSON   {"title": "time", "unit": "us", "values": {"dot.3": 12.5, ...}}, or
//          the values alone
//   lines  NAME,VALUE (or a tab between them). A first line whose value is no
//          number is a heading: its second field is the title, with the unit in
//          parentheses: "instruction,time (us)". Lines that start with # count
//          as comments. Numbers may be nan and inf.
// Names may have a leading %. Without a title it is the file's name.
absl::StatusOr<PageOverlay> ParseOverlay(absl::string_view text,
                                         absl::string_view file);

// The colours and lines that an overlay gives to the instructions of a module.
absl::flat_hash_map<const Instruction*, NodeMark> MarksOf(
    const PageOverlay& overlay, const Module& module);

}  // namespace hlokit

#endif  // HLOKIT_GRAPH_TOOLS_OVERLAY_FILE_H_

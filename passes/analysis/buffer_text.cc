#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "hlo/print/printer.h"
#include "passes/analysis/buffer_assignment.h"
#include "dump/buffer_report.h"
#include "dump/peak_tree.h"

namespace hlokit {
namespace {

std::string IndexSuffix(const Instruction& i, const ShapeIndex& index) {
  return i.shape().IsTuple()
             ? absl::StrCat("{", absl::StrJoin(index, ","), "}")
             : "";
}

struct ValueUse {
  const Instruction* user;
  int64_t operand;
  ShapeIndex index;
};
struct ValuePlaces {
  std::vector<std::pair<const Instruction*, ShapeIndex>> positions;
  std::vector<ValueUse> uses;
};

// By value: where it stands and who takes it.
std::vector<ValuePlaces> PlacesOf(const Dataflow& dataflow) {
  std::vector<ValuePlaces> places(dataflow.values().size());
  for (const Computation* c : dataflow.computations()) {
    for (const Instruction* i : c->PostOrder()) {
      const std::vector<ShapeIndex> parts = PartIndices(i->shape());
      for (size_t k = 0; k < parts.size(); ++k) {
        const HloValue& value = dataflow.ValueAt(i, static_cast<int64_t>(k));
        places[value.id].positions.emplace_back(i, parts[k]);
        for (const Instruction* user : i->users()) {
          // An element is read by its own get-tuple-element only.
          if (user->opcode() == Opcode::kGetTupleElement && k > 0 &&
              parts[k][0] != user->tuple_index()) {
            continue;
          }
          places[value.id].uses.push_back(
              {user, user->OperandIndex(i), parts[k]});
        }
      }
    }
  }
  return places;
}

}  // namespace

std::string BufferValuesText(const BufferAssignment& assignment) {
  const std::vector<ValuePlaces> places = PlacesOf(assignment.dataflow());
  std::string text = absl::StrCat(
      "\nTotal bytes used: ", assignment.TotalBytes(), " (",
      HumanBytes(assignment.TotalBytes()), ")\n\nUsed values:\n");
  for (const HloValue& value : assignment.dataflow().values()) {
    if (assignment.SliceOf(value).allocation < 0) continue;
    absl::StrAppend(&text, "<", value.id, " ", value.at->name(),
                    IndexSuffix(*value.at, value.index), " @0>\n positions:\n");
    for (const auto& [i, index] : places[value.id].positions) {
      absl::StrAppend(&text, "  ", i->name(),
                      i->shape().IsTuple() ? " " : "", IndexSuffix(*i, index),
                      "\n");
    }
    text += " uses:\n";
    if (places[value.id].uses.empty()) text += "  (none)\n";
    for (const ValueUse& use : places[value.id].uses) {
      absl::StrAppend(&text, "  ", use.user->name(), ", operand ", use.operand);
      if (use.user->operand(use.operand)->shape().IsTuple()) {
        absl::StrAppend(&text, " {", absl::StrJoin(use.index, ","), "}");
      }
      text += "\n";
    }
    absl::StrAppend(&text, " from instruction: ", ToString(*value.at), "\n");
  }
  return text;
}

std::string LiveRangeText(const BufferAssignment& assignment) {
  const LiveRanges& live = assignment.live_ranges();
  std::string text =
      absl::StrCat("HloLiveRange (max ", live.end(), "):\n",
                   "  InstructionSequence:\n");
  for (size_t k = 0; k < live.sequence().size(); ++k) {
    absl::StrAppend(&text, "    ", k, ":", live.sequence()[k]->name(), "\n");
  }
  text += "  BufferLiveRange:\n";
  std::vector<std::pair<int64_t, int64_t>> events;
  std::vector<std::pair<const HloValue*, LiveRange>> ranges;
  for (const HloValue& value : assignment.dataflow().values()) {
    const LiveRange& range = live.RangeOf(value.id);
    const BufferSlice& slice = assignment.SliceOf(value);
    if (range.end < range.start || slice.allocation < 0) continue;
    absl::StrAppend(&text, "    ", value.at->name(), "{",
                    absl::StrJoin(value.index, ","), "}:", range.start, "-",
                    range.end, "\n");
    events.emplace_back(range.start, slice.size);
    events.emplace_back(range.end + 1, -slice.size);
    ranges.emplace_back(&value, range);
  }
  std::sort(events.begin(), events.end());
  int64_t alive = 0, peak = -1, at = 0;
  for (const auto& [time, bytes] : events) {
    alive += bytes;
    if (alive > peak) peak = alive, at = time;
  }
  absl::StrAppend(&text, "  Live ranges at ", at, " (peak):\n");
  std::stable_sort(ranges.begin(), ranges.end(),
                   [&](const auto& a, const auto& b) {
                     const int64_t x = assignment.SliceOf(*a.first).size;
                     const int64_t y = assignment.SliceOf(*b.first).size;
                     return x != y ? x > y
                                   : a.first->at->name() < b.first->at->name();
                   });
  int64_t cumulative = 0;
  std::vector<LiveValue> at_peak;
  for (const auto& [value, range] : ranges) {
    if (range.start > at || range.end < at) continue;
    const int64_t size = assignment.SliceOf(*value).size;
    cumulative += size;
    absl::StrAppend(&text, "    ", value->at->name(), "{",
                    absl::StrJoin(value->index, ","), "}: ", size,
                    " bytes (cumulative: ", cumulative, " bytes)\n");
    at_peak.push_back({value->at, value->index, size});
  }
  return text + PeakTreeText(at_peak);
}

}  // namespace hlokit

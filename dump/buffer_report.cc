#include "dump/buffer_report.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace hlokit {
namespace {

using xla::BufferAllocationProto;
using xla::BufferAssignmentProto;
using xla::LogicalBufferProto;

std::string IndexText(const google::protobuf::RepeatedField<int64_t>& index) {
  return absl::StrCat("{", absl::StrJoin(index, ","), "}");
}

// One value with a place in an allocation.
struct Placed {
  const LogicalBufferProto* buffer;
  const Instruction* instruction;  // may be null
  const Shape* shape;              // of the value; null without instruction
  int64_t offset, size;
};

class Assignment {
 public:
  Assignment(const Module& module, const BufferAssignmentProto& proto)
      : module_(module), proto_(proto) {
    for (const auto& computation : module.computations()) {
      for (const Instruction* one : computation->PostOrder()) {
        instructions_[one->unique_id()] = one;
        // Protos of some releases have short ids.
        by_name_[one->name()] = one;
      }
    }
    for (const LogicalBufferProto& buffer : proto.logical_buffers()) {
      buffers_[buffer.id()] = &buffer;
    }
  }

  // By id of the value.
  std::vector<Placed> ValuesOf(const BufferAllocationProto& allocation) const {
    std::vector<Placed> values;
    for (const auto& assigned : allocation.assigned()) {
      const auto it = buffers_.find(assigned.logical_buffer_id());
      if (it == buffers_.end()) continue;
      Placed value{it->second, nullptr, nullptr, assigned.offset(),
                   assigned.size()};
      Locate(it->second->defined_at(), &value);
      values.push_back(value);
    }
    std::sort(values.begin(), values.end(),
              [](const Placed& a, const Placed& b) {
                return a.buffer->id() < b.buffer->id();
              });
    return values;
  }

  // The entry's root buffer: where the result as a whole stands.
  bool HoldsOutput(const std::vector<Placed>& values) const {
    const Instruction* root =
        module_.entry() == nullptr ? nullptr : module_.entry()->root();
    return std::any_of(values.begin(), values.end(), [&](const Placed& value) {
      return value.instruction == root && root != nullptr &&
             value.buffer->defined_at().shape_index_size() == 0;
    });
  }

  const Instruction* Parameter(int64_t number) const {
    if (module_.entry() == nullptr) return nullptr;
    const auto parameters = module_.entry()->parameters();
    return number >= 0 && number < static_cast<int64_t>(parameters.size())
               ? parameters[number]
               : nullptr;
  }

  const Module& module() const { return module_; }
  const BufferAssignmentProto& proto() const { return proto_; }

 private:
  void Locate(const LogicalBufferProto::Location& place, Placed* value) const {
    if (auto it = instructions_.find(place.instruction_id());
        it != instructions_.end()) {
      value->instruction = it->second;
    } else if (auto named = by_name_.find(place.instruction_name());
               named != by_name_.end()) {
      value->instruction = named->second;
    }
    if (value->instruction == nullptr) return;
    const std::vector<int64_t> index(place.shape_index().begin(),
                                     place.shape_index().end());
    if (value->instruction->shape().IndexIsValid(index)) {
      value->shape = &value->instruction->shape().Subshape(index);
    }
  }

  const Module& module_;
  const BufferAssignmentProto& proto_;
  absl::flat_hash_map<int64_t, const Instruction*> instructions_;
  absl::flat_hash_map<absl::string_view, const Instruction*> by_name_;
  absl::flat_hash_map<int64_t, const LogicalBufferProto*> buffers_;
};

std::string NameOf(const Placed& value) {
  const auto& place = value.buffer->defined_at();
  if (value.instruction == nullptr) return place.instruction_name();
  return absl::StrCat(value.instruction->name(),
                      value.instruction->shape().IsTuple()
                          ? IndexText(place.shape_index())
                          : "");
}

std::string AllocationHeader(const Assignment& assignment,
                             const BufferAllocationProto& allocation,
                             const std::vector<Placed>& values) {
  std::string text = absl::StrFormat("allocation %d: size %d",
                                     allocation.index(), allocation.size());
  if (allocation.color() != 0) {
    absl::StrAppend(&text, ", color ", allocation.color());
  }
  if (assignment.HoldsOutput(values)) {
    absl::StrAppend(&text, ", output shape is |",
                    assignment.module().entry()->root()->shape().ToString(
                        /*layout=*/false),
                    "|");
  }
  if (allocation.is_entry_computation_parameter()) {
    const Instruction* parameter =
        assignment.Parameter(allocation.parameter_number());
    const std::vector<int64_t> index(allocation.parameter_shape_index().begin(),
                                     allocation.parameter_shape_index().end());
    const bool known =
        parameter != nullptr && parameter->shape().IndexIsValid(index);
    absl::StrAppend(
        &text, ", parameter ", allocation.parameter_number(), ", shape |",
        known ? parameter->shape().Subshape(index).ToString(false) : "?",
        "| at ShapeIndex ", IndexText(allocation.parameter_shape_index()));
  }
  if (allocation.is_constant()) text += ", constant";
  if (allocation.is_thread_local()) text += ", thread-local";
  if (allocation.maybe_live_out()) text += ", maybe-live-out";
  if (!allocation.is_entry_computation_parameter() &&
      !allocation.is_constant() && !allocation.is_thread_local() &&
      !allocation.maybe_live_out()) {
    text += ", preallocated-temp";
  }
  return text + ":\n";
}

// The values that share one place of an allocation.
struct Slot {
  int64_t offset = 0, size = 0;
  std::vector<const Placed*> values;
};

std::vector<Slot> SlotsOf(const std::vector<Placed>& values) {
  std::map<int64_t, Slot> by_offset;
  for (const Placed& value : values) {
    Slot& slot = by_offset[value.offset];
    slot.offset = value.offset;
    slot.size = std::max(slot.size, value.size);
    slot.values.push_back(&value);
  }
  std::vector<Slot> slots;
  for (auto& [offset, slot] : by_offset) slots.push_back(std::move(slot));
  std::stable_sort(
      slots.begin(), slots.end(),
      [](const Slot& a, const Slot& b) { return a.size > b.size; });
  return slots;
}

// "f32[16,8], 2×f32[16,32]".
std::string ShapesList(const Slot& slot) {
  std::map<std::string, int> counts;
  for (const Placed* value : slot.values) {
    ++counts[value->shape == nullptr ? "?" : value->shape->ToString(false)];
  }
  // Sorted as they are shown.
  std::vector<std::string> shapes;
  for (const auto& [shape, count] : counts) {
    shapes.push_back(count == 1 ? shape : absl::StrCat(count, "×", shape));
  }
  return absl::StrJoin(shapes, ", ");
}

std::map<int64_t, std::vector<const BufferAllocationProto*>> BySpace(
    const BufferAssignmentProto& assignment) {
  std::map<int64_t, std::vector<const BufferAllocationProto*>> spaces;
  for (const auto& allocation : assignment.buffer_allocations()) {
    spaces[allocation.color()].push_back(&allocation);
  }
  for (auto& [color, allocations] : spaces) {
    std::stable_sort(allocations.begin(), allocations.end(),
                     [](const auto* a, const auto* b) {
                       return a->size() > b->size();
                     });
  }
  return spaces;
}

int64_t TotalBytes(const std::vector<const BufferAllocationProto*>& space) {
  int64_t total = 0;
  for (const auto* allocation : space) total += allocation->size();
  return total;
}

int64_t TotalOf(const std::vector<Slot>& slots) {
  int64_t total = 0;
  for (const Slot& slot : slots) total += slot.size;
  return total;
}

}  // namespace

std::string HumanBytes(int64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  int unit = 0;
  double value = static_cast<double>(bytes);
  while (value >= 1024 && unit < 5) {
    value /= 1024;
    ++unit;
  }
  if (unit == 0) return absl::StrCat(bytes, "B");
  return absl::StrFormat("%.*f%s", unit < 4 ? 1 : 2, value, kUnits[unit]);
}

std::string BufferAssignmentText(const Module& module,
                                 const BufferAssignmentProto& proto) {
  const Assignment assignment(module, proto);
  std::string text = "BufferAssignment:\n";
  for (const BufferAllocationProto& allocation : proto.buffer_allocations()) {
    const std::vector<Placed> values = assignment.ValuesOf(allocation);
    text += AllocationHeader(assignment, allocation, values);
    for (const Placed& value : values) {
      absl::StrAppend(
          &text, " value: <", value.buffer->id(), " ", NameOf(value), " @",
          value.buffer->color(), "> (size=", value.size,
          ",offset=", value.offset, "): ",
          value.shape == nullptr ? "?" : value.shape->ToString(), "\n");
    }
  }
  return text;
}

std::string MemoryUsageText(const Module& module,
                            const BufferAssignmentProto& proto) {
  const Assignment assignment(module, proto);
  std::string text;
  for (const auto& [color, allocations] : BySpace(proto)) {
    const int64_t total = TotalBytes(allocations);
    absl::StrAppend(&text, "Memory Space: ", color == 0 ? "default" : "other",
                    " (color=", color, ")\nTotal bytes: ", total, " (",
                    HumanBytes(total), ")\n");
    int64_t shown = 0;
    for (const BufferAllocationProto* allocation : allocations) {
      // The last thousandth is left out.
      if (shown * 1000.0 >= total * 999.0 && shown > 0) break;
      shown += allocation->size();
      text +=
          "  cumulative_size;       size;       offset; used_by_n_values; "
          "shapes_list\n"
          "  ------------------------------------------------------------\n";
      const std::vector<Placed> values = assignment.ValuesOf(*allocation);
      const std::vector<Slot> slots = SlotsOf(values);
      const int64_t all = TotalOf(slots);
      int64_t cumulative = 0;
      for (const Slot& slot : slots) {
        cumulative += slot.size;
        absl::StrAppendFormat(
            &text, "  %9s(%3.0f%%); %10s; %12d; %16d; %s\n",
            HumanBytes(cumulative), all == 0 ? 100.0 : 100.0 * cumulative / all,
            HumanBytes(slot.size), slot.offset, slot.values.size(),
            ShapesList(slot));
      }
      text += "\n";
    }
    text += "\n";
  }
  return text;
}

xla::MemoryUsageReportProto MemoryUsageProto(
    const Module& module, const BufferAssignmentProto& proto) {
  const Assignment assignment(module, proto);
  xla::MemoryUsageReportProto report;
  for (const auto& [color, allocations] : BySpace(proto)) {
    auto* space = report.add_memory_space_allocation_entries();
    const int64_t total = TotalBytes(allocations);
    space->set_total_bytes(total);
    space->set_memory_space_color(static_cast<int32_t>(color));
    int64_t cumulative = 0;
    for (const BufferAllocationProto* allocation : allocations) {
      cumulative += allocation->size();
      auto* entry = space->add_allocation_entries();
      entry->set_index(allocation->index());
      entry->set_size(allocation->size());
      entry->set_cumulative_size(cumulative);
      entry->set_cumulative_percentage(
          total == 0 ? 100.0 : 100.0 * cumulative / total);
      for (const Placed& value : assignment.ValuesOf(*allocation)) {
        entry->add_defining_positions(NameOf(value));
      }
    }
  }
  return report;
}

}  // namespace hlokit

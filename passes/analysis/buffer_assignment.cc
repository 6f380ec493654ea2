#include "passes/analysis/buffer_assignment.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "passes/analysis/call_graph.h"
#include "passes/analysis/heap.h"
#include "passes/analysis/in_place.h"

namespace hlokit {
namespace {

constexpr int64_t kAlignment = 64;
}  // namespace

int64_t BufferBytes(const Shape& shape) {
  constexpr int64_t kPointerBytes = 8, kSizeBytes = 4;
  if (shape.IsTuple()) return kPointerBytes * shape.tuple_shapes().size();
  if (!shape.IsArray() && !shape.IsBuffer()) return 0;
  return ByteSizeOf(shape) +
         (shape.is_dynamic() ? kSizeBytes * shape.rank() : 0);
}

namespace buffer_assigner {

// When a buffer is alive: ranges that do not touch, by start.
class Lifetime {
 public:
  void Add(const LiveRange& range) {
    if (range.end < range.start) return;
    auto it = ranges_.upper_bound(range.start);
    if (it != ranges_.begin()) --it;
    LiveRange merged = range;
    while (it != ranges_.end() && it->first <= merged.end + 1) {
      if (it->second + 1 < merged.start) {
        ++it;
        continue;
      }
      merged.start = std::min(merged.start, it->first);
      merged.end = std::max(merged.end, it->second);
      it = ranges_.erase(it);
    }
    ranges_[merged.start] = merged.end;
  }
  void Add(const Lifetime& other) {
    for (const auto& [start, end] : other.ranges_) Add({start, end});
  }
  bool Overlaps(const LiveRange& range) const {
    auto it = ranges_.upper_bound(range.end);
    return it != ranges_.begin() && std::prev(it)->second >= range.start;
  }
  // Overlap(s) at most in the one position `shared`.
  bool OverlapsBut(const Lifetime& other, int64_t shared) const {
    const bool mine = ranges_.size() < other.ranges_.size();
    const Lifetime& few = mine ? *this : other;
    const Lifetime& many = mine ? other : *this;
    for (const auto& [start, end] : few.ranges_) {
      if (start > shared || end < shared) {
        if (many.Overlaps({start, end})) return true;
        continue;
      }
      if (start < shared && many.Overlaps({start, shared - 1})) return true;
      if (end > shared && many.Overlaps({shared + 1, end})) return true;
    }
    return false;
  }
  bool Overlaps(const Lifetime& other) const { return OverlapsBut(other, -1); }
  bool empty() const { return ranges_.empty(); }
  size_t range_count() const { return ranges_.size(); }
  int64_t start() const { return ranges_.begin()->first; }
  int64_t end() const { return std::prev(ranges_.end())->second; }

 private:
  std::map<int64_t, int64_t> ranges_;
};

struct Buffer {
  std::vector<int64_t> values;  // ascending, when all are joined
  int64_t size = 0;
  Lifetime life;
  bool constant = false;
  bool live_out = false;
  bool thread_local_ = false;
  bool table = false;       // of a tuple
  bool overwritable = true;  // no constant, no parameter that is kept
  const HloValue* parameter = nullptr;
};

}  // namespace buffer_assigner

class BufferAssigner {
  using Buffer = buffer_assigner::Buffer;
  using Lifetime = buffer_assigner::Lifetime;

 public:
  explicit BufferAssigner(const Module& module) : module_(module) {
    result_.dataflow_ = std::make_unique<Dataflow>(module);
    result_.live_ranges_ =
        std::make_unique<LiveRanges>(module, *result_.dataflow_);
    sets_.Resize(values().size());
  }

  absl::StatusOr<BufferAssignment> Assign() {
    JoinWhatMustShare();
    MakeBuffers();
    for (const auto& [set, buffer] : buffers_) {
      HLOKIT_RETURN_IF_ERROR(CheckOrder(buffer));
    }
    JoinWhatMayShare();
    Allocate();
    return std::move(result_);
  }

 private:
  const Dataflow& dataflow() const { return *result_.dataflow_; }
  const LiveRanges& live() const { return *result_.live_ranges_; }
  const std::vector<HloValue>& values() const { return dataflow().values(); }
  int64_t ValueAt(const Instruction* i, int64_t part) const {
    return dataflow().ValueAt(i, part).id;
  }

  void JoinParts(const Instruction* a, const Instruction* b) {
    const int64_t parts = PartCount(a->shape());
    for (int64_t k = 0; k < parts; ++k) {
      sets_.Join(ValueAt(a, k), ValueAt(b, k));
    }
  }

  void JoinWhatMustShare() {
    for (const Instruction* i : live().sequence()) {
      if (i->opcode() == Opcode::kWhile) {
        JoinParts(i, i->operand(0));
        JoinParts(i, i->while_body()->parameter(0));
        JoinParts(i, i->while_body()->root());
        JoinParts(i, i->while_condition()->parameter(0));
        continue;
      }
      if (i->opcode() == Opcode::kConditional) {
        for (const Computation* branch : i->called_computations()) {
          JoinParts(i, branch->root());
        }
        continue;
      }
      for (const InPlacePair& pair : InPlacePairs(*i)) {
        sets_.Join(ValueAt(i, pair.result_part),
                   ValueAt(i->operand(pair.operand), pair.operand_part));
      }
    }
    for (const InputOutputAlias& alias : module_.input_output_aliases) {
      const Instruction* root = module_.entry()->root();
      const Instruction* parameter =
          module_.entry()->parameter(alias.parameter);
      sets_.Join(
          ValueAt(root, PartNumber(root->shape(), alias.output_index)),
          ValueAt(parameter,
                  PartNumber(parameter->shape(), alias.parameter_index)));
    }
  }

  bool IsAliased(const HloValue& parameter) const {
    return std::any_of(module_.input_output_aliases.begin(),
                       module_.input_output_aliases.end(),
                       [&](const InputOutputAlias& alias) {
                         return alias.parameter ==
                                    parameter.at->parameter_number() &&
                                alias.parameter_index == parameter.index;
                       });
  }

  void MakeBuffers() {
    for (const HloValue& value : values()) {
      Buffer& buffer = buffers_[sets_.Find(value.id)];
      buffer.values.push_back(value.id);
      buffer.size = std::max(buffer.size, BufferBytes(value.shape));
      buffer.life.Add(live().RangeOf(value.id));
      buffer.table |= value.shape.IsTuple();
      buffer.thread_local_ |= live().TimeOf(value.at) < 0;
      if (value.at->opcode() == Opcode::kConstant) {
        buffer.constant = true;
        buffer.overwritable = false;
      }
      if (value.at->opcode() == Opcode::kParameter &&
          value.at->parent() == module_.entry()) {
        buffer.parameter = &value;
        buffer.overwritable &= IsAliased(value);
      }
    }
    const Instruction* root = module_.entry()->root();
    for (int64_t k = PartCount(root->shape()); k-- > 0;) {
      buffers_[sets_.Find(ValueAt(root, k))].live_out = true;
    }
  }

  // Whether `later` begins where `earlier` ends and takes over its memory.
  bool TakesOver(const HloValue& earlier, const HloValue& later) const {
    if (later.merged) return true;
    if (live().IsResult(earlier.id)) return false;
    return SharesEveryUse(*later.at, earlier.id,
                          PartNumber(later.at->shape(), later.index));
  }

  // Values of one buffer one after another.
  absl::Status CheckOrder(const Buffer& buffer) const {
    if (buffer.table || buffer.thread_local_) return absl::OkStatus();
    std::vector<int64_t> order;
    for (int64_t v : buffer.values) {
      if (live().RangeOf(v).end >= live().RangeOf(v).start) order.push_back(v);
    }
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      const LiveRange &x = live().RangeOf(a), &y = live().RangeOf(b);
      return std::make_pair(x.start, x.end) < std::make_pair(y.start, y.end);
    });
    for (size_t k = 1; k < order.size(); ++k) {
      const HloValue& a = values()[order[k - 1]];
      const HloValue& b = values()[order[k]];
      const LiveRange &x = live().RangeOf(a.id), &y = live().RangeOf(b.id);
      if (x.end < y.start || (x.end == y.start && TakesOver(a, b))) continue;
      return InvalidArgument(
          "%s and %s must share their memory, but are needed at the same time; "
          "copy-insertion makes the copies that this takes",
          a.at->name(), b.at->name());
    }
    if (!buffer.overwritable && order.size() > 1) {
      return InvalidArgument(
          "%s would be overwritten; copy-insertion makes the copies that this "
          "takes",
          values()[order[0]].at->name());
    }
    return absl::OkStatus();
  }

  // An instruction's result takes the memory of an operand that is not needed
  // afterwards.
  void JoinWhatMayShare() {
    for (const Instruction* i : live().sequence()) {
      if (OnlyForwards(*i) || MayCallWhole(*i)) continue;
      const std::vector<ShapePart> parts = PartsOf(i->shape());
      for (size_t k = 0; k < parts.size(); ++k) {
        if (parts[k].is_leaf) ShareWithOperand(*i, k);
      }
    }
  }
  static bool MayCallWhole(const Instruction& i) {
    return ContextOf(i.opcode()) == CallContext::kSequential;
  }

  void ShareWithOperand(const Instruction& i, int64_t part) {
    const int64_t time = live().TimeOf(&i);
    const HloValue& value = dataflow().ValueAt(&i, part);
    if (value.at != &i) return;
    const int64_t set = sets_.Find(value.id);
    Buffer& mine = buffers_.at(set);
    if (mine.life.empty() || mine.life.start() < time || mine.constant ||
        mine.size == 0) {
      return;
    }
    for (int64_t o = 0; o < i.operand_count(); ++o) {
      if (!i.operand(o)->shape().IsArray()) continue;
      const int64_t operand = ValueAt(i.operand(o), 0);
      const int64_t other = sets_.Find(operand);
      Buffer& theirs = buffers_.at(other);
      if (other == set || !theirs.overwritable || theirs.size != mine.size ||
          live().RangeOf(operand).end != time || live().IsResult(operand) ||
          mine.life.OverlapsBut(theirs.life, time) ||
          (mine.live_out && theirs.live_out) ||
          !SharesEveryUse(i, operand, part)) {
        continue;
      }
      Merge(set, other);
      return;
    }
  }

  // `operand` may stand at several places of `i`.
  bool SharesEveryUse(const Instruction& i, int64_t operand,
                      int64_t part) const {
    for (int64_t o = 0; o < i.operand_count(); ++o) {
      const int64_t count = PartCount(i.operand(o)->shape());
      for (int64_t k = 0; k < count; ++k) {
        if (ValueAt(i.operand(o), k) == operand &&
            !MayShareBuffer(i, {o, k, part})) {
          return false;
        }
      }
    }
    return true;
  }

  void Merge(int64_t a, int64_t b) {
    if (a > b) std::swap(a, b);
    sets_.Join(a, b);
    Buffer from = std::move(buffers_.at(b));
    buffers_.erase(b);
    Buffer& to = buffers_.at(a);
    // The few go to the many: a chain of thousands is joined link by link.
    if (to.values.size() < from.values.size()) {
      std::swap(to.values, from.values);
    }
    to.values.insert(to.values.end(), from.values.begin(), from.values.end());
    if (to.life.range_count() < from.life.range_count()) {
      std::swap(to.life, from.life);
    }
    to.life.Add(from.life);
    to.live_out |= from.live_out;
    if (to.parameter == nullptr) to.parameter = from.parameter;
  }

  // ---- allocations ----

  void Allocate() {
    result_.slices_.resize(values().size());
    std::vector<const Buffer*> order;
    for (auto& [set, buffer] : buffers_) {
      std::sort(buffer.values.begin(), buffer.values.end());
      if (IsPlaced(buffer)) order.push_back(&buffer);
    }
    std::sort(order.begin(), order.end(), [](const Buffer* a, const Buffer* b) {
      if (a->thread_local_ != b->thread_local_) return b->thread_local_;
      if (a->size != b->size) return a->size > b->size;
      if (a->live_out != b->live_out) return a->live_out;
      return a->values[0] < b->values[0];
    });
    std::vector<const Buffer*> temps;
    for (const Buffer* buffer : order) {
      if (KindOf(*buffer) == BufferAllocation::kTemp) {
        temps.push_back(buffer);
      } else {
        NewAllocation(*buffer);
      }
    }
    std::vector<const Buffer*> packed;
    for (const Buffer* buffer : temps) {
      if (!BorrowAllocation(*buffer)) packed.push_back(buffer);
    }
    PackTemps(packed);
    for (BufferAllocation& allocation : result_.allocations_) {
      std::sort(allocation.assigned.begin(), allocation.assigned.end(),
                [](const auto& a, const auto& b) { return a.value < b.value; });
    }
  }

  // Tokens and the like need no memory.
  bool IsPlaced(const Buffer& buffer) const {
    const Shape& shape = values()[buffer.values[0]].shape;
    return shape.IsArray() || shape.IsTuple() || shape.IsBuffer();
  }

  static BufferAllocation::Kind KindOf(const Buffer& buffer) {
    if (buffer.parameter != nullptr) return BufferAllocation::kParameter;
    if (buffer.constant) return BufferAllocation::kConstant;
    if (buffer.thread_local_) return BufferAllocation::kThreadLocal;
    if (buffer.live_out) return BufferAllocation::kLiveOut;
    return BufferAllocation::kTemp;
  }

  void Place(const Buffer& buffer, int64_t allocation, int64_t offset) {
    for (int64_t v : buffer.values) {
      const int64_t size = BufferBytes(values()[v].shape);
      result_.slices_[v] = {allocation, offset, size};
      result_.allocations_[allocation].assigned.push_back({v, offset, size});
    }
  }

  void NewAllocation(const Buffer& buffer) {
    BufferAllocation allocation;
    allocation.kind = KindOf(buffer);
    allocation.size = buffer.size;
    allocation.is_tuple = buffer.table;
    allocation.maybe_live_out = buffer.live_out;
    if (buffer.parameter != nullptr) {
      allocation.parameter = buffer.parameter->at->parameter_number();
      allocation.parameter_index = buffer.parameter->index;
    }
    const int64_t number = result_.allocations_.size();
    if (buffer.overwritable && !buffer.table && !buffer.thread_local_) {
      lenders_.push_back({number, buffer.size, buffer.life});
    }
    result_.allocations_.push_back(std::move(allocation));
    Place(buffer, number, 0);
  }

  // An allocation whose own values are not alive while `buffer` is.
  bool BorrowAllocation(const Buffer& buffer) {
    if (buffer.table || buffer.size == 0 || buffer.life.empty()) return false;
    // From the smallest one that is large enough; lenders are by size.
    for (size_t k = lenders_.size(); k-- > 0;) {
      Lender& lender = lenders_[k];
      if (lender.size < buffer.size || lender.life.Overlaps(buffer.life)) {
        continue;
      }
      lender.life.Add(buffer.life);
      Place(buffer, lender.allocation, 0);
      return true;
    }
    return false;
  }

  void PackTemps(const std::vector<const Buffer*>& temps) {
    if (temps.empty()) return;
    std::vector<HeapBuffer> heap;
    for (const Buffer* buffer : temps) {
      HeapBuffer one;
      one.size = buffer->size;
      if (!buffer->life.empty()) {
        one.range = {buffer->life.start(), buffer->life.end()};
      }
      heap.push_back(one);
    }
    BufferAllocation allocation;
    allocation.size = PackBuffers(&heap, kAlignment);
    const int64_t number = result_.allocations_.size();
    result_.allocations_.push_back(std::move(allocation));
    for (size_t k = 0; k < temps.size(); ++k) {
      Place(*temps[k], number, heap[k].offset);
    }
  }

  const Module& module_;
  BufferAssignment result_;
  DisjointSets sets_;  // of values
  // By the representative of its values, that is by its first value.
  std::map<int64_t, Buffer> buffers_;
  struct Lender {
    int64_t allocation;
    int64_t size;
    Lifetime life;
  };
  std::vector<Lender> lenders_;
};

absl::StatusOr<BufferAssignment> AssignBuffers(const Module& module) {
  if (!module.is_scheduled()) {
    return InvalidArgument(
        "buffers are assigned to scheduled modules; run hlo-memory-scheduler");
  }
  for (const auto& computation : module.computations()) {
    int64_t whole = 0;
    for (const Instruction* caller : computation->callers()) {
      const Opcode opcode = caller->opcode();
      if (ContextOf(opcode) == CallContext::kSequential &&
          opcode != Opcode::kAsyncUpdate && opcode != Opcode::kAsyncDone) {
        whole += CallCount(*caller, computation.get());
      }
    }
    if (whole > 1) {
      return InvalidArgument(
          "computation %s is called at several places; run flatten-call-graph",
          computation->name());
    }
  }
  return BufferAssigner(module).Assign();
}

int64_t BufferAssignment::TotalBytes() const {
  int64_t total = 0;
  for (const BufferAllocation& a : allocations_) total += a.size;
  return total;
}

int64_t BufferAssignment::TempBytes() const {
  int64_t total = 0;
  for (const BufferAllocation& a : allocations_) {
    if (a.kind == BufferAllocation::kTemp) total += a.size;
  }
  return total;
}

namespace {

void SetLocation(const Instruction& i, const ShapeIndex& index,
                 xla::LogicalBufferProto::Location* location) {
  location->set_instruction_id(i.unique_id());
  for (int64_t element : index) location->add_shape_index(element);
}

void AddTrace(const BufferAssignment& assignment, int64_t number,
              xla::BufferAssignmentProto* proto) {
  // time, 0 for a begin and 1 for an end, value.
  std::vector<std::tuple<int64_t, int, int64_t>> events;
  for (const auto& assigned : assignment.allocations()[number].assigned) {
    const LiveRange& range = assignment.live_ranges().RangeOf(assigned.value);
    if (range.end < range.start) continue;
    events.emplace_back(range.start, 0, assigned.value);
    events.emplace_back(range.end, 1, assigned.value);
  }
  std::sort(events.begin(), events.end());
  auto* trace = proto->add_heap_simulator_traces();
  trace->set_whole_module_simulation(true);
  trace->set_buffer_allocation_index(number);
  const auto& sequence = assignment.live_ranges().sequence();
  for (const auto& [time, kind, value] : events) {
    auto* event = trace->add_events();
    event->set_kind(kind == 0 ? xla::HeapSimulatorTrace::Event::ALLOC
                              : xla::HeapSimulatorTrace::Event::FREE);
    event->set_buffer_id(value);
    if (time >= static_cast<int64_t>(sequence.size())) continue;
    const absl::string_view computation = sequence[time]->parent()->name();
    const absl::string_view name = sequence[time]->name();
    event->set_computation_name(computation.data(), computation.size());
    event->set_instruction_name(name.data(), name.size());
  }
}

}  // namespace

xla::BufferAssignmentProto BufferAssignment::ToProto() const {
  xla::BufferAssignmentProto proto;
  for (const HloValue& value : dataflow_->values()) {
    const BufferSlice& slice = slices_[value.id];
    if (slice.allocation < 0) continue;
    auto* buffer = proto.add_logical_buffers();
    buffer->set_id(value.id);
    buffer->set_size(slice.size);
    SetLocation(*value.at, value.index, buffer->mutable_defined_at());
  }
  for (size_t n = 0; n < allocations_.size(); ++n) {
    const BufferAllocation& allocation = allocations_[n];
    auto* out = proto.add_buffer_allocations();
    out->set_index(n);
    out->set_size(allocation.size);
    out->set_is_tuple(allocation.is_tuple);
    out->set_is_thread_local(allocation.kind == BufferAllocation::kThreadLocal);
    out->set_is_constant(allocation.kind == BufferAllocation::kConstant);
    out->set_maybe_live_out(allocation.maybe_live_out);
    if (allocation.kind == BufferAllocation::kParameter) {
      out->set_is_entry_computation_parameter(true);
      out->set_parameter_number(allocation.parameter);
      out->set_is_parameter_aliased_with_output(allocation.maybe_live_out);
      for (int64_t element : allocation.parameter_index) {
        out->add_parameter_shape_index(element);
      }
    }
    for (const BufferAllocation::Assigned& assigned : allocation.assigned) {
      auto* one = out->add_assigned();
      one->set_logical_buffer_id(assigned.value);
      one->set_offset(assigned.offset);
      one->set_size(assigned.size);
    }
    if (allocation.kind == BufferAllocation::kTemp) AddTrace(*this, n, &proto);
  }
  return proto;
}

}  // namespace hlokit

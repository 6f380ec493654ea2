#include "passes/analysis/buffer_check.h"

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "passes/analysis/call_graph.h"
#include "passes/analysis/in_place.h"

namespace hlokit {
namespace {

// Marks of the parts of one result, tuples' own included.
using Marks = std::vector<int64_t>;

// Which mark the bytes of each allocation carry.
class Memory {
 public:
  void Write(const BufferSlice& slice, int64_t mark) {
    if (slice.size == 0) return;
    auto& pieces = pieces_[slice.allocation];
    auto it = pieces.lower_bound(slice.offset);
    if (it != pieces.begin() && std::prev(it)->second.end > slice.offset) {
      --it;
    }
    while (it != pieces.end() && it->first < slice.offset + slice.size) {
      it = pieces.erase(it);
    }
    pieces[slice.offset] = {slice.offset + slice.size, mark};
  }
  bool Holds(const BufferSlice& slice, int64_t mark) {
    if (slice.size == 0) return true;
    const auto& pieces = pieces_[slice.allocation];
    const auto it = pieces.find(slice.offset);
    return it != pieces.end() && it->second.mark == mark &&
           it->second.end == slice.offset + slice.size;
  }

 private:
  struct Piece {
    int64_t end;
    int64_t mark;
  };
  absl::flat_hash_map<int64_t, std::map<int64_t, Piece>> pieces_;
};

bool SameSlice(const BufferSlice& a, const BufferSlice& b) {
  return a.allocation == b.allocation && a.offset == b.offset;
}
bool Overlap(const BufferSlice& a, const BufferSlice& b) {
  return a.allocation == b.allocation && a.offset < b.offset + b.size &&
         b.offset < a.offset + a.size;
}

class Actor {
 public:
  Actor(const Module& module, const BufferAssignment& assignment, int seed)
      : module_(module), assignment_(assignment), engine_(seed) {}

  absl::Status Act() {
    const Computation& entry = *module_.entry();
    std::vector<Marks> arguments;
    for (const Instruction* parameter : entry.parameters()) {
      arguments.push_back(NewMarks(parameter));
      WriteAll(parameter, arguments.back());
    }
    for (const Computation* c : assignment_.dataflow().computations()) {
      for (const Instruction* i : c->instructions()) {
        if (i->opcode() != Opcode::kConstant) continue;
        constants_[i] = NewMarks(i);
        WriteAll(i, constants_[i]);
      }
    }
    HLOKIT_ASSIGN_OR_RETURN(const Marks result, Run(entry, arguments));
    HLOKIT_RETURN_IF_ERROR(CheckResult(result));
    return CheckParameters(arguments);
  }

 private:
  using Frame = absl::flat_hash_map<const Instruction*, Marks>;

  Marks NewMarks(const Instruction* i) {
    Marks marks(PartCount(i->shape()));
    for (int64_t& mark : marks) mark = ++last_mark_;
    return marks;
  }
  const BufferSlice& Slice(const Instruction* i, int64_t part) const {
    return assignment_.SliceAt(i, part);
  }
  void WriteAll(const Instruction* i, const Marks& marks) {
    const std::vector<ShapePart> parts = PartsOf(i->shape());
    for (size_t k = 0; k < parts.size(); ++k) {
      if (parts[k].is_leaf) memory_.Write(Slice(i, k), marks[k]);
    }
  }
  absl::Status Read(const Instruction* i, const Marks& marks,
                    const Instruction* reader) {
    const std::vector<ShapePart> parts = PartsOf(i->shape());
    for (size_t k = 0; k < parts.size(); ++k) {
      if (parts[k].is_leaf && !memory_.Holds(Slice(i, k), marks[k])) {
        return Internal("%s of %s was written over before %s reads it",
                        IndexText(i, k), i->name(),
                        reader->name());
      }
    }
    return absl::OkStatus();
  }

  static std::string IndexText(const Instruction* i, int64_t part) {
    return ShapeIndexToString(IndexOfPart(i->shape(), part));
  }

  // Leaves of both lie in the same place.
  absl::Status SamePlaces(const Instruction* a, const Instruction* b) const {
    const std::vector<ShapePart> parts = PartsOf(a->shape());
    for (size_t k = 0; k < parts.size(); ++k) {
      if (parts[k].is_leaf && !SameSlice(Slice(a, k), Slice(b, k))) {
        return Internal("%s and %s are not in the same place at %s", a->name(),
                        b->name(), IndexText(a, k));
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Marks> Run(const Computation& computation,
                            const std::vector<Marks>& arguments) {
    Frame frame;
    for (const Instruction* i : module_.ExecutionOrder(computation)) {
      ++steps_;
      HLOKIT_ASSIGN_OR_RETURN(frame[i], Step(i, frame, arguments));
    }
    const Instruction* root = computation.root();
    HLOKIT_RETURN_IF_ERROR(Read(root, frame.at(root), root));
    return frame.at(root);
  }

  absl::StatusOr<Marks> Step(const Instruction* i, const Frame& frame,
                             const std::vector<Marks>& arguments) {
    switch (i->opcode()) {
      case Opcode::kParameter:
        return arguments[i->parameter_number()];
      case Opcode::kConstant:
        return constants_.at(i);
      case Opcode::kTuple: {
        Marks marks = {++last_mark_};
        for (const Instruction* operand : i->operands()) {
          const Marks& part = frame.at(operand);
          marks.insert(marks.end(), part.begin(), part.end());
        }
        return marks;
      }
      case Opcode::kGetTupleElement: {
        const Marks& tuple = frame.at(i->operand(0));
        const auto begin =
            tuple.begin() +
            PartOfElement(i->operand(0)->shape(), i->tuple_index());
        return Marks(begin, begin + PartCount(i->shape()));
      }
      case Opcode::kWhile:
        return Loop(i, frame.at(i->operand(0)));
      case Opcode::kConditional: {
        const size_t branch = engine_() % i->called_computations().size();
        const Instruction* argument = i->operand(branch + 1);
        const Computation& called = *i->called_computation(branch);
        HLOKIT_RETURN_IF_ERROR(Read(i->operand(0), frame.at(i->operand(0)), i));
        // What the branch does not read may be gone.
        HLOKIT_RETURN_IF_ERROR(SamePlaces(i, called.root()));
        return Run(called, {frame.at(argument)});
      }
      case Opcode::kCall: {
        std::vector<Marks> operands;
        for (const Instruction* operand : i->operands()) {
          operands.push_back(frame.at(operand));
        }
        HLOKIT_RETURN_IF_ERROR(SamePlaces(i, i->to_apply()->root()));
        return Run(*i->to_apply(), operands);
      }
      default:
        if (OnlyForwards(*i)) return frame.at(i->operand(0));
        return Compute(i, frame);
    }
  }

  absl::StatusOr<Marks> Loop(const Instruction* i, Marks state) {
    const Computation& condition = *i->while_condition();
    const Computation& body = *i->while_body();
    HLOKIT_RETURN_IF_ERROR(Read(i->operand(0), state, i));
    HLOKIT_RETURN_IF_ERROR(SamePlaces(i, i->operand(0)));
    HLOKIT_RETURN_IF_ERROR(SamePlaces(i, condition.parameter(0)));
    HLOKIT_RETURN_IF_ERROR(SamePlaces(i, body.parameter(0)));
    HLOKIT_RETURN_IF_ERROR(SamePlaces(i, body.root()));
    const int rounds = steps_ > 1'000'000 ? 1 : engine_() % 3;
    for (int round = 0; round < rounds; ++round) {
      HLOKIT_RETURN_IF_ERROR(Run(condition, {state}).status());
      HLOKIT_RETURN_IF_ERROR(Read(i, state, i));
      HLOKIT_ASSIGN_OR_RETURN(state, Run(body, {state}));
    }
    HLOKIT_RETURN_IF_ERROR(Run(condition, {state}).status());
    HLOKIT_RETURN_IF_ERROR(Read(i, state, i));
    return state;
  }

  absl::StatusOr<Marks> Compute(const Instruction* i, const Frame& frame) {
    if (ContextOf(i->opcode()) == CallContext::kSequential ||
        i->opcode() == Opcode::kCopyStart || i->opcode() == Opcode::kCopyDone ||
        i->opcode() == Opcode::kSend || i->opcode() == Opcode::kRecvDone) {
      return Unimplemented("%s is asynchronous", i->name());
    }
    const std::vector<ShapePart> parts = PartsOf(i->shape());
    for (int64_t o = 0; o < i->operand_count(); ++o) {
      const Instruction* operand = i->operand(o);
      HLOKIT_RETURN_IF_ERROR(Read(operand, frame.at(operand), i));
      const std::vector<ShapePart> theirs = PartsOf(operand->shape());
      for (size_t k = 0; k < theirs.size(); ++k) {
        for (size_t r = 0; r < parts.size(); ++r) {
          const BufferSlice &a = Slice(operand, k), &b = Slice(i, r);
          if (!theirs[k].is_leaf || !parts[r].is_leaf || !Overlap(a, b)) {
            continue;
          }
          const InPlacePair pair = {o, static_cast<int64_t>(k),
                                    static_cast<int64_t>(r)};
          if (!SameSlice(a, b) || !MayShareBuffer(*i, pair)) {
            return Internal("%s writes over its operand %s", i->name(),
                            operand->name());
          }
        }
      }
    }
    for (const InPlacePair& pair : InPlacePairs(*i)) {
      if (!SameSlice(Slice(i->operand(pair.operand), pair.operand_part),
                     Slice(i, pair.result_part))) {
        return Internal("%s does not work in place", i->name());
      }
    }
    Marks marks = NewMarks(i);
    WriteAll(i, marks);
    return marks;
  }

  absl::Status CheckResult(const Marks& result) {
    const Instruction* root = module_.entry()->root();
    const std::vector<ShapePart> parts = PartsOf(root->shape());
    for (size_t k = 0; k < parts.size(); ++k) {
      const BufferSlice& slice = Slice(root, k);
      if (!parts[k].is_leaf || slice.allocation < 0) continue;
      const BufferAllocation& allocation =
          assignment_.allocations()[slice.allocation];
      if (!allocation.maybe_live_out ||
          allocation.kind == BufferAllocation::kConstant ||
          slice.offset != 0) {
        return Internal("result %s is no output of its own",
                        IndexText(root, k));
      }
      for (size_t other = 0; other < k; ++other) {
        if (parts[other].is_leaf && Overlap(slice, Slice(root, other))) {
          return Internal("results %s and %s are in the same place",
                          IndexText(root, k),
                          IndexText(root, other));
        }
      }
    }
    for (const InputOutputAlias& alias : module_.input_output_aliases) {
      const Instruction* parameter =
          module_.entry()->parameter(alias.parameter);
      if (!SameSlice(
              Slice(parameter,
                    PartNumber(parameter->shape(), alias.parameter_index)),
              Slice(root, PartNumber(root->shape(), alias.output_index)))) {
        return Internal("result %s is not in place of its parameter",
                        ShapeIndexToString(alias.output_index));
      }
    }
    return absl::OkStatus();
  }

  // Nobody may write into parameters that no result takes over.
  absl::Status CheckParameters(const std::vector<Marks>& arguments) {
    for (const Instruction* parameter : module_.entry()->parameters()) {
      const Marks& marks = arguments[parameter->parameter_number()];
      const std::vector<ShapePart> parts = PartsOf(parameter->shape());
      for (size_t k = 0; k < parts.size(); ++k) {
        if (!parts[k].is_leaf || IsAliased(parameter, k)) continue;
        if (!memory_.Holds(Slice(parameter, k), marks[k])) {
          return Internal("parameter %s was written over", parameter->name());
        }
      }
    }
    return absl::OkStatus();
  }
  bool IsAliased(const Instruction* parameter, int64_t part) const {
    if (module_.input_output_aliases.empty()) return false;
    const ShapeIndex index = IndexOfPart(parameter->shape(), part);
    for (const InputOutputAlias& alias : module_.input_output_aliases) {
      if (alias.parameter == parameter->parameter_number() &&
          alias.parameter_index == index) {
        return true;
      }
    }
    return false;
  }

  const Module& module_;
  const BufferAssignment& assignment_;
  std::minstd_rand engine_;
  Memory memory_;
  Frame constants_;
  int64_t last_mark_ = 0;
  int64_t steps_ = 0;
};

}  // namespace

absl::Status CheckBuffers(const Module& module,
                          const BufferAssignment& assignment, int seed) {
  return Actor(module, assignment, seed + 1).Act();
}

}  // namespace hlokit

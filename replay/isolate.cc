#include "replay/isolate.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "hlo/print/printer.h"

namespace hlokit {
namespace {

// Computations that run as part of one instruction, on scalars or inside a
// kernel, are not taken apart.
bool CallsInSequence(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kWhile:
    case Opcode::kAsyncStart:
      return true;
    default:
      return false;
  }
}

// The entry and what it calls, each once, callers first.
std::vector<const Computation*> SequentialComputations(const Module& module) {
  std::vector<const Computation*> found = {module.entry()};
  absl::flat_hash_set<const Computation*> seen = {module.entry()};
  for (size_t i = 0; i < found.size(); ++i) {
    for (const Instruction* instruction : module.ExecutionOrder(*found[i])) {
      if (!CallsInSequence(*instruction)) continue;
      for (const Computation* called : instruction->called_computations()) {
        if (seen.insert(called).second) found.push_back(called);
      }
    }
  }
  return found;
}

bool IsLeftOut(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kConstant:
    case Opcode::kGetTupleElement:
    case Opcode::kParameter:
    case Opcode::kTuple:
      return true;
    default:
      return false;
  }
}

bool HoldsOnlyArrays(const Shape& shape) {
  bool only = true;
  ForEachLeaf(shape, [&](const Shape& leaf, const ShapeIndex&) {
    only = only && leaf.IsArray();
  });
  return only;
}

std::string WhyNotAlone(const Instruction& instruction) {
  const absl::string_view opcode = OpcodeName(instruction.opcode());
  if (absl::EndsWith(opcode, "-start") || absl::EndsWith(opcode, "-done") ||
      absl::EndsWith(opcode, "-update")) {
    return "one half of an asynchronous pair";
  }
  for (const Instruction* operand : instruction.operands()) {
    if (!HoldsOnlyArrays(operand->shape())) return "an operand is no data";
  }
  if (!HoldsOnlyArrays(instruction.shape())) return "the result is no data";
  return "";
}

// What two pieces have in common when they compute the same.
std::string Fingerprint(const Module& piece) {
  PrintOptions options = PrintOptions::Fingerprint();
  options.include_layout_in_shapes = true;
  options.print_large_constants = true;
  return ToString(*piece.entry(), options);
}

}  // namespace

std::unique_ptr<Module> ModuleOfInstruction(const Instruction& instruction,
                                            absl::string_view name) {
  auto module = std::make_unique<Module>(name);
  auto entry = Computation::Create(module.get(), "main");
  absl::flat_hash_map<const Instruction*, Instruction*> parameters;
  std::vector<Instruction*> operands;
  for (const Instruction* operand : instruction.operands()) {
    Instruction*& parameter = parameters[operand];
    if (parameter == nullptr) {
      parameter = entry->AddParameter(parameters.size() - 1, operand->shape(),
                                      operand->name());
    }
    operands.push_back(parameter);
  }
  Instruction* clone = entry->AddClone(instruction, instruction.shape(),
                                       operands, instruction.name());
  std::vector<Computation*> called;
  for (const Computation* computation : instruction.called_computations()) {
    called.push_back(
        module->CloneComputation(*computation, computation->name()));
  }
  clone->set_called_computations(std::move(called));
  entry->set_root(clone);
  module->AddEntryComputation(std::move(entry));
  module->SetEntryLayoutFromEntry();
  return module;
}

std::vector<Piece> TakeApart(const Module& module) {
  std::vector<Piece> pieces;
  absl::flat_hash_map<std::string, size_t> known;
  for (const Computation* computation : SequentialComputations(module)) {
    for (const Instruction* i : module.ExecutionOrder(*computation)) {
      if (IsLeftOut(*i)) continue;
      Piece piece;
      piece.instruction = absl::StrCat("%", i->name());
      piece.text = ToShortString(*i);
      piece.why_not = WhyNotAlone(*i);
      if (piece.why_not.empty()) {
        piece.module = ModuleOfInstruction(*i, i->name());
        const auto [it, added] =
            known.emplace(Fingerprint(*piece.module), pieces.size());
        if (!added) {
          ++pieces[it->second].same;
          continue;
        }
      }
      pieces.push_back(std::move(piece));
    }
  }
  return pieces;
}

}  // namespace hlokit

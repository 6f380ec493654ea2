#include "graph_render/extract_module.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "hlo/ir/stack_frames.h"

namespace hlokit {
namespace {

class Extractor {
 public:
  Extractor(const NodeFilter& filter, absl::string_view name)
      : filter_(filter), module_(std::make_unique<Module>(name)) {
    module_->stack_frames = filter.computation()->module()->stack_frames;
    entry_ = Computation::Create(module_.get(), "main");
  }

  absl::StatusOr<std::unique_ptr<Module>> Run() {
    for (const Instruction* instruction : filter_.computation()->PostOrder()) {
      if (filter_.IsShown(instruction)) Copy(*instruction);
    }
    if (copies_.empty()) return InvalidArgument("there is nothing to extract");
    SetRoot();
    module_->AddEntryComputation(std::move(entry_));
    module_->SetEntryLayoutFromEntry();
    CompactStackFrames(module_.get());
    return std::move(module_);
  }

 private:
  Instruction* AddParameter(const Instruction& original) {
    Instruction* parameter = entry_->AddParameter(
        entry_->parameter_count(), original.shape(), original.name());
    parameter->set_metadata(original.shared_metadata());
    return parameter;
  }

  Instruction* CopyOf(const Instruction& operand) {
    Instruction*& copy = copies_[&operand];
    if (copy == nullptr) copy = AddParameter(operand);
    return copy;
  }

  void Copy(const Instruction& original) {
    if (original.opcode() == Opcode::kParameter) {
      CopyOf(original);
      return;
    }
    std::vector<Instruction*> operands;
    for (const Instruction* operand : original.operands()) {
      operands.push_back(CopyOf(*operand));
    }
    Instruction* copy =
        entry_->AddClone(original, original.shape(), operands, original.name());
    std::vector<Computation*> called;
    for (const Computation* computation : original.called_computations()) {
      called.push_back(CalledCopy(*computation));
    }
    if (!called.empty()) copy->set_called_computations(std::move(called));
    for (const Instruction* before : original.control_predecessors()) {
      const auto it = copies_.find(before);
      if (it != copies_.end()) copy->AddControlPredecessor(it->second);
    }
    copies_[&original] = copy;
    shown_.push_back(&original);
  }

  Computation* CalledCopy(const Computation& computation) {
    Computation*& copy = computations_[&computation];
    if (copy == nullptr) {
      copy = module_->CloneComputation(computation, computation.name());
    }
    return copy;
  }

  void SetRoot() {
    std::vector<Instruction*> results;
    for (const Instruction* original : shown_) {
      Instruction* copy = copies_[original];
      if (copy->users().empty()) results.push_back(copy);
    }
    if (results.empty()) {  // parameters only
      for (Instruction* parameter : entry_->parameters()) {
        results.push_back(parameter);
      }
    }
    entry_->set_root(results.size() == 1
                         ? results[0]
                         : entry_->AddTuple(results, kExtractedResults));
  }

  const NodeFilter& filter_;
  std::unique_ptr<Module> module_;
  std::unique_ptr<Computation> entry_;
  absl::flat_hash_map<const Instruction*, Instruction*> copies_;
  absl::flat_hash_map<const Computation*, Computation*> computations_;
  std::vector<const Instruction*> shown_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Module>> ExtractModule(const NodeFilter& filter,
                                                      absl::string_view name) {
  return Extractor(filter, name).Run();
}

}  // namespace hlokit

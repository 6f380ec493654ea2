// The commands that tell about one instruction or computation.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "graph_render/node_label.h"
#include "graph_render/source_text.h"
#include "graph_tools/graph_session.h"

namespace hlokit {
namespace {

void AppendLine(absl::string_view key, absl::string_view value,
                std::string* out) {
  if (value.empty()) return;
  absl::StrAppend(out, absl::StrFormat("  %-14s %s\n", key, value));
}

std::string WithShape(const Instruction& instruction) {
  return absl::StrCat(instruction.name(), " : ",
                      instruction.shape().ToString());
}

}  // namespace

absl::Status GraphSession::Info(Words words) {
  if (words.size() != 2) {
    return InvalidArgument("usage: %s <name>", words[0]);
  }
  if (const Computation* computation = names_.FindComputation(words[1])) {
    InfoOfComputation(*computation);
    return absl::OkStatus();
  }
  HLOKIT_ASSIGN_OR_RETURN(const Instruction* instruction,
                          names_.NeedInstruction(words[1]));
  InfoOfInstruction(*instruction);
  return absl::OkStatus();
}

void GraphSession::InfoOfInstruction(const Instruction& instruction) {
  absl::StrAppend(&out_, instruction.name(), "\n");
  AppendLine("computation", instruction.parent()->name(), &out_);
  AppendLine("opcode", OpcodeName(instruction.opcode()), &out_);
  AppendLine("shape", instruction.shape().ToString(), &out_);
  const OpMetadata& metadata = instruction.metadata();
  AppendLine("op_name", metadata.op_name, &out_);
  AppendLine("op_type", metadata.op_type, &out_);
  AppendLine("source", SourceText(instruction), &out_);
  for (const std::string& attribute : AttributeTexts(instruction)) {
    AppendLine("attribute", attribute, &out_);
  }
  AppendLine("backend config", instruction.backend_config(), &out_);
  for (const Computation* called : instruction.called_computations()) {
    AppendLine(instruction.opcode() == Opcode::kFusion ? "fused computation"
                                                       : "calls",
               called->name(), &out_);
    if (instruction.opcode() == Opcode::kFusion && called->root() != nullptr) {
      AppendLine("fused root", called->root()->name(), &out_);
    }
  }
  for (const Instruction* operand : instruction.operands()) {
    AppendLine("operand", WithShape(*operand), &out_);
  }
  for (const Instruction* user : instruction.users()) {
    AppendLine("user", WithShape(*user), &out_);
  }
  if (!instruction.IsRoot()) return;
  AppendLine("root of", instruction.parent()->name(), &out_);
  for (const Instruction* caller : instruction.parent()->callers()) {
    AppendLine("caller", caller->name(), &out_);
  }
}

void GraphSession::InfoOfComputation(const Computation& computation) {
  absl::StrAppend(&out_, computation.name(),
                  computation.IsEntry() ? " (entry)" : "", "\n");
  if (const Instruction* fusion = computation.fusion_instruction()) {
    AppendLine("fusion", fusion->name(), &out_);
  }
  AppendLine("instructions", absl::StrCat(computation.instruction_count()),
             &out_);
  for (const Instruction* parameter : computation.parameters()) {
    if (parameter != nullptr) {
      AppendLine("parameter", WithShape(*parameter), &out_);
    }
  }
  if (computation.root() != nullptr) {
    AppendLine("root", WithShape(*computation.root()), &out_);
  }
  std::vector<const Computation*> embedded;
  for (const Instruction* instruction : computation.PostOrder()) {
    for (const Computation* called : instruction->called_computations()) {
      if (std::find(embedded.begin(), embedded.end(), called) ==
          embedded.end()) {
        embedded.push_back(called);
        AppendLine("embedded", called->name(), &out_);
      }
    }
  }
  for (const Instruction* caller : computation.callers()) {
    AppendLine("caller", caller->name(), &out_);
  }
}

absl::Status GraphSession::StackTrace(Words words) {
  if (words.size() != 2) {
    return InvalidArgument("usage: %s <name>", words[0]);
  }
  HLOKIT_ASSIGN_OR_RETURN(const Instruction* instruction,
                          names_.NeedInstruction(words[1]));
  const OpMetadata& metadata = instruction->metadata();
  absl::StrAppend(&out_, instruction->name(), "\n");
  AppendLine("opcode", OpcodeName(instruction->opcode()), &out_);
  AppendLine("op_type", metadata.op_type, &out_);
  AppendLine("op_name", metadata.op_name, &out_);
  AppendLine("source", SourceText(*instruction), &out_);
  const std::vector<std::string> frames = StackFrameTexts(*instruction);
  for (const std::string& frame : frames) AppendLine("frame", frame, &out_);
  if (SourceText(*instruction).empty()) {
    absl::StrAppend(&out_, "  no source line is known\n");
  }
  return absl::OkStatus();
}

}  // namespace hlokit

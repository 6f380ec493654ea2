#include "graph_render/graph_json.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/escape.h"
#include "base/json_writer.h"
#include "graph_render/scopes.h"
#include "graph_render/source_text.h"
#include "graph_render/step_changes.h"
#include "hlo/print/printer.h"

namespace hlokit {
namespace {

bool IsUtf8(absl::string_view text) {
  while (!text.empty()) {
    const int length = Utf8SequenceLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

class GraphWriter {
 public:
  GraphWriter(JsonWriter* json, int64_t* replaced_texts)
      : json_(*json), replaced_texts_(*replaced_texts) {}

  // Writes the members of one graph; `now` is null when nothing is compared.
  void Write(const PageStage& stage, const StepTexts* before,
             const StepTexts* now, const StepTexts* after) {
    stage_ = &stage;
    graph_ = ListPage(*stage.module, stage.selection);
    Text("module", stage.module->name());
    WriteComputations();
    json_.Key("nodes").BeginArray();
    for (size_t i = 0; i < graph_.instructions.size(); ++i) {
      json_.BeginObject().Member("id", i);
      WriteNode(*graph_.instructions[i]);
      if (now != nullptr) {
        WriteChange(now->ChangeOf(*graph_.instructions[i], before, after));
      }
      json_.EndObject();
    }
    json_.EndArray();
    WriteEdges();
    if (before == nullptr) return;
    json_.Key("removed").BeginArray();
    for (const absl::string_view name : now->RemovedSince(*before)) {
      String(name);
    }
    json_.EndArray();
  }

  void Text(absl::string_view key, absl::string_view text) {
    json_.Key(key);
    String(text);
  }

 private:
  void String(absl::string_view text) {
    if (!IsUtf8(text)) ++replaced_texts_;
    json_.String(text);
  }

  void NonEmpty(absl::string_view key, absl::string_view text) {
    if (!text.empty()) Text(key, text);
  }

  // Null when the instruction is not in the graph.
  const int* NumberOf(const Instruction* instruction) const {
    const auto it = graph_.number_of.find(instruction);
    return it == graph_.number_of.end() ? nullptr : &it->second;
  }

  void WriteComputations() {
    json_.Key("computations").BeginArray();
    for (size_t c = 0; c < graph_.computations.size(); ++c) {
      const PageComputation& one = graph_.computations[c];
      json_.BeginObject().Member("id", c);
      Text("name", one.computation->name());
      json_.Member("entry", one.computation->IsEntry());
      json_.Key("root");
      const int* root = NumberOf(one.computation->root());
      if (root != nullptr) {
        json_.Int(*root);
      } else {
        json_.Null();
      }
      json_.Member("first_node", one.first).Member("node_count", one.count);
      json_.EndObject();
    }
    json_.EndArray();
  }

  int ComputationOf(const Instruction& instruction) const {
    return graph_.computation_number_of.at(instruction.parent());
  }

  void WriteNode(const Instruction& instruction) {
    Text("name", instruction.name());
    Text("opcode", OpcodeName(instruction.opcode()));
    Text("type", instruction.shape().ToString());
    json_.Member("computation", ComputationOf(instruction));
    if (instruction.IsRoot()) json_.Member("root", true);
    if (instruction.opcode() == Opcode::kParameter) {
      json_.Member("parameter_number", instruction.parameter_number());
    }
    if (instruction.opcode() == Opcode::kGetTupleElement) {
      json_.Member("tuple_index", instruction.tuple_index());
    }
    NonEmpty("custom_call_target", instruction.custom_call_target());
    WriteMetadata(instruction);
    WriteCalls(instruction);
    WriteShow(instruction);
    Text("text", ToString(instruction, PrintOptions()));
  }

  void WriteMetadata(const Instruction& instruction) {
    const OpMetadata& metadata = instruction.metadata();
    NonEmpty("op_type", metadata.op_type);
    NonEmpty("op_name", metadata.op_name);
    NonEmpty("scope", absl::StrJoin(ScopeOf(metadata.op_name), "/"));
    NonEmpty("source", SourceText(instruction));
  }

  void WriteCalls(const Instruction& instruction) {
    std::vector<int> calls;
    for (const Computation* called : instruction.called_computations()) {
      const auto it = graph_.computation_number_of.find(called);
      if (it != graph_.computation_number_of.end()) {
        calls.push_back(it->second);
      }
    }
    if (calls.empty()) return;
    json_.Key("calls").BeginArray();
    for (const int called : calls) json_.Int(called);
    json_.EndArray();
  }

  void WriteShow(const Instruction& instruction) {
    const NodeFilter* filter = stage_->selection.filter;
    if (filter == nullptr || filter->shows_all()) return;
    if (filter->Show(&instruction) == NodeShow::kHighlighted) {
      json_.Member("highlighted", true);
    }
    int64_t omitted = 0;
    for (const Instruction* operand : instruction.operands()) {
      omitted += NumberOf(operand) == nullptr;
    }
    if (omitted > 0) json_.Member("omitted_operands", omitted);
  }

  void WriteChange(int change) {
    if (change & (kAdded | kChanged)) {
      json_.Member("change", change & kAdded ? "added" : "changed");
    }
    if (change & kGone) json_.Member("gone_in_next", true);
  }

  void WriteEdges() {
    json_.Key("edges").BeginArray();
    for (size_t i = 0; i < graph_.instructions.size(); ++i) {
      const Instruction& instruction = *graph_.instructions[i];
      for (int64_t k = 0; k < instruction.operand_count(); ++k) {
        WriteEdge(instruction.operand(k), i, "data", k);
      }
      for (const Instruction* other : instruction.control_predecessors()) {
        WriteEdge(other, i, "control", -1);
      }
    }
    json_.EndArray();
  }

  void WriteEdge(const Instruction* from, int to, absl::string_view kind,
                 int64_t operand) {
    const int* number = NumberOf(from);
    if (number == nullptr) return;
    json_.BeginObject().Member("from", *number).Member("to", to);
    json_.Member("kind", kind);
    if (operand >= 0) json_.Member("operand", operand);
    json_.EndObject();
  }

  JsonWriter& json_;
  int64_t& replaced_texts_;
  const PageStage* stage_ = nullptr;
  PageLayout graph_;
};

void WriteSeveral(absl::Span<const PageStage> stages, GraphWriter* writer,
                  JsonWriter* json) {
  std::vector<StepTexts> texts;
  for (const PageStage& stage : stages) texts.emplace_back(stage);
  const auto follows = [&](size_t s) {
    return s > 0 && s < stages.size() && stages[s].follows;
  };
  json->Key("graphs").BeginArray();
  for (size_t s = 0; s < stages.size(); ++s) {
    json->BeginObject();
    writer->Text("label", stages[s].label);
    writer->Write(stages[s], follows(s) ? &texts[s - 1] : nullptr, &texts[s],
                  follows(s + 1) ? &texts[s + 1] : nullptr);
    json->EndObject();
  }
  json->EndArray();
}

}  // namespace

GraphJson GraphToJson(absl::Span<const PageStage> stages) {
  GraphJson result;
  JsonWriter json(&result.text);
  json.BeginObject().Member("format", "hlokit-graph");
  json.Member("version", kGraphJsonVersion);
  GraphWriter writer(&json, &result.replaced_texts);
  if (stages.size() == 1) {
    writer.Write(stages[0], nullptr, nullptr, nullptr);
  } else {
    WriteSeveral(stages, &writer, &json);
  }
  json.Key("notes").BeginArray();
  if (result.replaced_texts > 0) {
    json.String(absl::StrCat(
        "bytes that are not UTF-8 are written as U+FFFD each (texts with such "
        "bytes: ", result.replaced_texts,
        "); different names may look equal: use the ids"));
  }
  json.EndArray().EndObject();
  result.text += '\n';
  return result;
}

}  // namespace hlokit

#include "graph_render/page_data.h"

#include "absl/strings/str_cat.h"
#include "base/json_writer.h"
#include "graph_render/node_label.h"
#include "graph_render/palette.h"
#include "graph_render/source_text.h"
#include "graph_render/step_changes.h"
#include "hlo/ir/unknown.h"
#include "hlo/print/printer.h"

namespace hlokit {
namespace {

void AppendNumbers(absl::string_view key, const std::vector<int>& numbers,
                   std::string* out) {
  absl::StrAppend(out, "\"", key, "\":[");
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) *out += ',';
    absl::StrAppend(out, numbers[i]);
  }
  *out += ']';
}

class StageWriter {
 public:
  StageWriter(const PageStage& stage, StringPool* pool, StringPool* texts)
      : pool_(*pool), texts_(*texts),
        page_(LayOutPage(*stage.module, stage.selection)) {}

  const PageLayout& page() const { return page_; }

  std::string Write(const StepTexts* before, const StepTexts* now,
                    const StepTexts* after) {
    out_ = "{";
    WriteInstructions();
    WriteOperands();
    WriteChanges(before, now, after);
    WriteComputations();
    out_ += ",\"boxes\":[";
    for (size_t c = 0; c < page_.containers.size(); ++c) {
      if (c > 0) out_ += ',';
      WriteContainer(page_.containers[c]);
    }
    out_ += "]}";
    return std::move(out_);
  }

 private:
  void WriteInstructions() {
    const size_t n = page_.instructions.size();
    std::vector<int> name(n), op(n), shape(n), op_name(n), source(n), fill(n),
        title(n), subtitle(n), text(n);
    PrintOptions print;
    for (size_t i = 0; i < n; ++i) {
      const Instruction& instruction = *page_.instructions[i];
      name[i] = pool_.Add(instruction.name());
      op[i] = pool_.Add(ShownOpcode(instruction));
      shape[i] = pool_.Add(ShapeLabel(instruction.shape()));
      op_name[i] = pool_.Add(instruction.metadata().op_name);
      source[i] = pool_.Add(SourceText(instruction));
      fill[i] = static_cast<int>(FillOf(instruction));
      title[i] = pool_.Add(BoxTitle(instruction));
      subtitle[i] = pool_.Add(BoxSubtitle(instruction));
      text[i] = texts_.Add(ToString(instruction, print));
    }
    AppendNumbers("name", name, &out_);
    auto more = [&](absl::string_view key, const std::vector<int>& numbers) {
      out_ += ',';
      AppendNumbers(key, numbers, &out_);
    };
    more("op", op);
    more("shape", shape);
    more("opName", op_name);
    more("source", source);
    more("fill", fill);
    more("title", title);
    more("subtitle", subtitle);
    more("text", text);
  }

  // Lists of lists, flattened: for each instruction how many, then which;
  // -1: not on the page.
  void WriteLists(absl::string_view key,
                  absl::Span<const std::vector<int>> lists) {
    std::vector<int> counts, values;
    for (const std::vector<int>& list : lists) {
      counts.push_back(list.size());
      values.insert(values.end(), list.begin(), list.end());
    }
    out_ += ',';
    AppendNumbers(absl::StrCat(key, "Count"), counts, &out_);
    out_ += ',';
    AppendNumbers(key, values, &out_);
  }

  int NumberOf(const Instruction* instruction) const {
    const auto it = page_.number_of.find(instruction);
    return it == page_.number_of.end() ? -1 : it->second;
  }

  void WriteOperands() {
    const size_t n = page_.instructions.size();
    std::vector<std::vector<int>> operands(n), controls(n), calls(n);
    for (size_t i = 0; i < n; ++i) {
      const Instruction& instruction = *page_.instructions[i];
      for (const Instruction* operand : instruction.operands()) {
        operands[i].push_back(NumberOf(operand));
      }
      for (const Instruction* before : instruction.control_predecessors()) {
        controls[i].push_back(NumberOf(before));
      }
      for (const Computation* called : instruction.called_computations()) {
        const auto it = page_.computation_number_of.find(called);
        if (it != page_.computation_number_of.end()) {
          calls[i].push_back(it->second);
        }
      }
    }
    WriteLists("operand", operands);
    WriteLists("control", controls);
    WriteLists("call", calls);
  }

  void WriteChanges(const StepTexts* before, const StepTexts* now,
                    const StepTexts* after) {
    if (before == nullptr && after == nullptr) return;
    std::vector<int> changes, removed;
    for (const Instruction* instruction : page_.instructions) {
      changes.push_back(now->ChangeOf(*instruction, before, after));
    }
    out_ += ',';
    AppendNumbers("change", changes, &out_);
    if (before != nullptr) {
      for (const absl::string_view name : now->RemovedSince(*before)) {
        removed.push_back(pool_.Add(name));
      }
    }
    out_ += ',';
    AppendNumbers("removed", removed, &out_);
  }

  void WriteComputations() {
    out_ += ",\"computations\":[";
    for (size_t c = 0; c < page_.computations.size(); ++c) {
      const PageComputation& one = page_.computations[c];
      if (c > 0) out_ += ',';
      absl::StrAppend(&out_, "[", pool_.Add(one.computation->name()), ",",
                      one.first, ",", one.count, ",",
                      NumberOf(one.computation->root()), ",", one.flat, ",",
                      one.scoped, ",", one.computation->IsEntry() ? 1 : 0, "]");
    }
    out_ += ']';
  }

  void WriteContainer(const PageContainer& container) {
    const LayeredLayout& layout = container.layout;
    std::vector<int> x, row, width, height, segments, far;
    for (size_t i = 0; i < layout.items.size(); ++i) {
      x.push_back(layout.items[i].x);
      row.push_back(layout.items[i].row);
      if (i >= container.contents.size()) continue;
      width.push_back(layout.items[i].width);
      height.push_back(layout.items[i].height);
    }
    for (const LayoutEdge& edge : layout.segments) {
      segments.push_back(edge.from);
      segments.push_back(edge.to);
    }
    for (const LayoutEdge& edge : layout.far) {
      far.push_back(edge.from);
      far.push_back(edge.to);
    }
    absl::StrAppend(&out_, "{\"name\":", pool_.Add(container.name),
                    ",\"computation\":", container.computation,
                    ",\"count\":", container.instructions,
                    ",\"rows\":", layout.rows, ",");
    AppendNumbers("contents", container.contents, &out_);
    auto more = [&](absl::string_view key, const std::vector<int>& numbers) {
      out_ += ',';
      AppendNumbers(key, numbers, &out_);
    };
    more("x", x);
    more("row", row);
    more("width", width);
    more("height", height);
    more("segments", segments);
    more("far", far);
    out_ += '}';
  }

  StringPool& pool_;
  StringPool& texts_;
  const PageLayout page_;
  std::string out_;
};

void WriteColors(JsonWriter* json) {
  json->Key("fills").BeginArray();
  for (int f = 0; f < kFillCount; ++f) {
    const FillColors& colors = ColorsOf(static_cast<Fill>(f));
    json->BeginArray()
        .String(colors.name)
        .String(colors.fill)
        .String(colors.stroke)
        .String(colors.text)
        .EndArray();
  }
  json->EndArray();
  json->Key("heat").BeginArray();
  for (const absl::string_view color : HeatRamp()) json->String(color);
  json->EndArray();
}

void WriteOverlays(const PageOptions& options, StringPool* pool,
                   JsonWriter* json) {
  json->Key("overlays").BeginArray();
  for (const PageOverlay& overlay : options.overlays) {
    json->BeginObject();
    json->Member("title", overlay.title).Member("unit", overlay.unit);
    json->Key("values").BeginArray();
    for (const auto& [name, value] : overlay.values) {
      json->Int(pool->Add(name)).Double(value);
    }
    json->EndArray().EndObject();
  }
  json->EndArray();
}

}  // namespace

int StringPool::Add(absl::string_view text) {
  const int fresh = texts_.size();
  const auto [it, inserted] = numbers_.try_emplace(std::string(text), fresh);
  if (inserted) texts_.push_back(&it->first);
  return it->second;
}

std::string StringPool::Json() const {
  std::string out = "[";
  for (size_t i = 0; i < texts_.size(); ++i) {
    if (i > 0) out += ',';
    AppendJsonString(*texts_[i], &out);
  }
  out += ']';
  return out;
}

PageData MakePageData(absl::Span<const PageStage> stages,
                      const PageOptions& options) {
  PageData data;
  StringPool pool, texts;
  std::vector<StepTexts> compared;
  if (stages.size() > 1) {
    for (const PageStage& stage : stages) compared.emplace_back(stage);
  }
  JsonWriter head(&data.head);
  head.BeginObject().Member("title", options.title);
  WriteColors(&head);
  head.Key("stages").BeginArray();
  std::vector<int> focus, stage_focus;
  const auto follows = [&](size_t s) {
    return s > 0 && s < stages.size() && stages[s].follows;
  };
  for (size_t s = 0; s < stages.size(); ++s) {
    StageWriter writer(stages[s], &pool, &texts);
    data.stages.push_back(
        writer.Write(follows(s) ? &compared[s - 1] : nullptr,
                     stages.size() > 1 ? &compared[s] : nullptr,
                     follows(s + 1) ? &compared[s + 1] : nullptr));
    stage_focus.push_back(stages[s].focus.empty() ? 0
                                                  : pool.Add(stages[s].focus));
    head.String(stages[s].label);
    if (s > 0) continue;
    for (const PageStop& stop : options.stops) {
      const auto it = writer.page().number_of.find(stop.focus);
      focus.push_back(it == writer.page().number_of.end() ? -1 : it->second);
    }
  }
  head.EndArray();
  head.Key("stops").BeginArray();
  for (size_t i = 0; i < options.stops.size(); ++i) {
    head.BeginArray().String(options.stops[i].label).Int(focus[i]).EndArray();
  }
  head.EndArray();
  head.Key("focus").BeginArray();
  for (const int name : stage_focus) head.Int(name);
  head.EndArray();
  WriteOverlays(options, &pool, &head);
  head.EndObject();
  data.pool = pool.Json();
  data.texts = texts.Json();
  return data;
}

}  // namespace hlokit

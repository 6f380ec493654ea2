#include "hlo/print/header_printer.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/escape.h"
#include "hlo/ir/unknown.h"
#include "hlo/print/attribute_printer.h"
#include "hlo/print/printer.h"

namespace hlokit {
namespace {

class HeaderPrinter {
 public:
  HeaderPrinter(const Module& module, const PrintOptions& options,
                TextSink* out)
      : module_(module), options_(options), out_(out) {}

  void Print() {
    Indent();
    out_->AppendAll("HloModule ");
    if (options_.print_ids) out_->AppendAll(module_.name());
    unknown_ = UnknownItemsFromString(
        UnknownPart(&module_.frontend_attributes, kUnknownTextKey));
    UnknownAfter("");
    if (module_.is_scheduled()) out_->AppendAll(", is_scheduled=true");
    UnknownAfter("is_scheduled");
    PrintAliases();
    UnknownAfter("input_output_alias");
    PrintDonors();
    UnknownAfter("buffer_donor");
    if (module_.alias_passthrough_params) {
      out_->AppendAll(", alias_passthrough_params=true");
    }
    UnknownAfter("alias_passthrough_params");
    PrintEntryLayout();
    UnknownAfter("entry_computation_layout");
    PrintFlags("allow_spmd_sharding_propagation_to_parameters",
               module_.allow_spmd_sharding_propagation_to_parameters);
    PrintFlags("allow_spmd_sharding_propagation_to_output",
               module_.allow_spmd_sharding_propagation_to_output);
    UnknownAfter("allow_spmd_sharding_propagation_to_output");
    if (module_.replica_count != 1) {
      out_->AppendAll(", replica_count=", module_.replica_count);
    }
    UnknownAfter("replica_count");
    if (module_.num_partitions != 1) {
      out_->AppendAll(", num_partitions=", module_.num_partitions);
    }
    UnknownAfter("num_partitions");
    if (!module_.frontend_attributes.empty()) {
      AppendFrontendAttributes(module_.frontend_attributes, out_);
    }
    for (const UnknownItem& item : unknown_) {
      out_->AppendAll(", ", item.text);
    }
    PrintRecoveryTable();
    PrintDebugAttributes();
    if (options_.print_metadata) PrintStackFrames();
    out_->AppendAll("\n\n");
  }

 private:
  // Unknown attributes that stood behind the one of this name.
  void UnknownAfter(absl::string_view name) {
    if (unknown_.empty()) return;
    std::vector<UnknownItem> later;
    for (UnknownItem& item : unknown_) {
      if (item.after == name) {
        out_->AppendAll(", ", item.text);
      } else {
        later.push_back(std::move(item));
      }
    }
    unknown_ = std::move(later);
  }

  void Indent(int64_t more = 0) {
    for (int64_t i = 0; i < options_.indent_amount + more; ++i) {
      out_->Append("  ");
    }
  }

  void AppendType(const Shape& shape) {
    out_->Through([&](std::string* text) { shape.AppendTo(text); });
  }

  void PrintAliases() {
    const auto& aliases = module_.input_output_aliases;
    if (aliases.empty()) return;
    out_->AppendAll(", input_output_alias={ ");
    for (size_t k = 0; k < aliases.size(); ++k) {
      out_->AppendAll(
          k > 0 ? ", " : "", ShapeIndexToString(aliases[k].output_index),
          ": (", aliases[k].parameter, ", ",
          ShapeIndexToString(aliases[k].parameter_index), ", ",
          aliases[k].kind == InputOutputAlias::kMustAlias ? "must-alias"
                                                          : "may-alias",
          ")");
    }
    out_->AppendAll(" }");
  }

  void PrintDonors() {
    const auto& donors = module_.buffer_donors;
    if (donors.empty()) return;
    out_->AppendAll(", buffer_donor={ ");
    for (size_t k = 0; k < donors.size(); ++k) {
      out_->AppendAll(k > 0 ? ", " : "", "(", donors[k].parameter, ", ",
                      ShapeIndexToString(donors[k].parameter_index), ")");
    }
    out_->AppendAll(" }");
  }

  void PrintEntryLayout() {
    if (!module_.entry_layout.has_value()) return;
    const ProgramShape& layout = *module_.entry_layout;
    out_->AppendAll(", entry_computation_layout={(");
    for (size_t p = 0; p < layout.parameters.size(); ++p) {
      if (p > 0) {
        out_->AppendAll(", ");
        if (p % 5 == 0) out_->AppendAll("/*index=", p, "*/");
      }
      AppendType(layout.parameters[p]);
    }
    out_->AppendAll(")->");
    AppendType(layout.result);
    out_->Append('}');
  }

  void PrintFlags(absl::string_view name, const std::vector<bool>& flags) {
    if (flags.empty() || (flags.size() == 1 && !flags[0])) return;
    out_->AppendAll(", ", name, "={");
    for (size_t k = 0; k < flags.size(); ++k) {
      out_->AppendAll(k > 0 ? "," : "", flags[k] ? "true" : "false");
    }
    out_->Append('}');
  }

  void PrintRecoveryTable() {
    if (module_.recovery_table.empty()) return;
    out_->AppendAll(", origin_recovery_table={\n");
    for (const OriginalValueRecovery& entry : module_.recovery_table) {
      Indent(1);
      AppendOriginalArray(entry.old_array, out_);
      out_->AppendAll(" : ");
      AppendOriginalArray(entry.new_array, out_);
      if (entry.module != nullptr) {
        PrintOptions nested;
        nested.indent_amount = options_.indent_amount + 2;
        out_->AppendAll(",\n");
        Indent(1);
        out_->AppendAll("\"\n");
        // XLA does not escape the quotes in it; the parser knows that.
        std::string text;
        hlokit::Print(*entry.module, nested, &text);
        out_->Append(text);
        out_->Append('\n');
        Indent(1);
        out_->Append('"');
      }
      out_->Append('\n');
    }
    out_->AppendAll("}\n");
  }

  void PrintDebugAttributes() {
    const auto& entries = module_.debug_attributes;
    if (entries.empty()) return;
    out_->AppendAll(",\ndebug_attributes={\n");
    for (size_t k = 0; k < entries.size(); ++k) {
      out_->AppendAll("  ");
      AppendOriginalArray(entries[k].array, out_);
      out_->AppendAll(":(");
      for (size_t a = 0; a < entries[k].attributes.size(); ++a) {
        out_->AppendAll(a > 0 ? "," : "", "{");
        PrintDebugAttribute(entries[k].attributes[a]);
        out_->Append('}');
      }
      out_->AppendAll(k + 1 < entries.size() ? "),\n" : ")\n");
    }
    out_->Append('}');
  }

  void PrintDebugAttribute(const DebugAttributes& a) {
    absl::string_view separator = "";
    auto item = [&](absl::string_view name, const auto& value) {
      out_->AppendAll(separator, name, "=", value);
      separator = ",";
    };
    if (a.log_mode == 1) item("log_mode", "default");
    if (a.log_mode == 2) item("log_mode", "fusion_debugger");
    if (a.callback_id != 0) item("callback_id", a.callback_id);
    if (a.partitioned) item("partitioned", "true");
    if (a.op_id != 0) item("op_id", a.op_id);
  }

  void PrintStackFrames() {
    const StackFrameIndex& frames = module_.stack_frames;
    if (frames.empty()) return;
    out_->AppendAll("\n\nFileNames\n");
    for (size_t k = 0; k < frames.file_names.size(); ++k) {
      out_->AppendAll(k + 1, " \"", CEscape(frames.file_names[k]),
                      "\"\n");
    }
    out_->AppendAll("\nFunctionNames\n");
    for (size_t k = 0; k < frames.function_names.size(); ++k) {
      out_->AppendAll(k + 1, " \"", CEscape(frames.function_names[k]),
                      "\"\n");
    }
    out_->AppendAll("\nFileLocations\n");
    for (size_t k = 0; k < frames.file_locations.size(); ++k) {
      const auto& at = frames.file_locations[k];
      out_->AppendAll(k + 1, " {file_name_id=", at.file_name_id,
                      " function_name_id=", at.function_name_id,
                      " line=", at.line, " end_line=", at.end_line);
      out_->AppendAll(" column=", at.column,
                      " end_column=", at.end_column, "}\n");
    }
    out_->AppendAll("\nStackFrames\n");
    for (size_t k = 0; k < frames.stack_frames.size(); ++k) {
      const auto& frame = frames.stack_frames[k];
      // Written one higher, so that 1 says "no parent".
      out_->AppendAll(k + 1, " {file_location_id=",
                      frame.file_location_id,
                      " parent_frame_id=", frame.parent_frame_id + 1, "}\n");
    }
  }

  const Module& module_;
  const PrintOptions& options_;
  TextSink* out_;
  std::vector<UnknownItem> unknown_;
};

}  // namespace

void PrintHeader(const Module& module, const PrintOptions& options,
                 TextSink* out) {
  HeaderPrinter(module, options, out).Print();
}

}  // namespace hlokit

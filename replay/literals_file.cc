// The literal files of run_hlo_module.

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/compression.h"
#include "base/status.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "hlo/wire/proto_convert.h"
#include "replay/inputs.h"

namespace hlokit {
namespace {

using google::protobuf::Message;

bool LooksLikeText(absl::string_view bytes) {
  const absl::string_view start = bytes.substr(0, 4096);
  return std::all_of(start.begin(), start.end(), [](unsigned char c) {
    return c >= 0x80 || absl::ascii_isprint(c) || absl::ascii_isspace(c);
  });
}

// Keeps the first complaint.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text_.empty()) {
      text_ = absl::StrCat(line + 1, ":", column + 1, ": ", message);
    }
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

absl::Status ParseText(absl::string_view bytes, Message* message) {
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(200);
  if (parser.ParseFromString(std::string(bytes), message)) {
    return absl::OkStatus();
  }
  return InvalidArgument("%s", error.text());
}

absl::Status Parse(absl::string_view bytes, bool text, Message* message) {
  return text ? ParseText(bytes, message) : ParseProtoBytes(bytes, message);
}

// Nothing in it that the message does not know.
bool IsWhole(const Message& message) {
  return message.GetReflection()->GetUnknownFields(message).empty() &&
         message.ByteSizeLong() > 0;
}

}  // namespace

absl::StatusOr<xla::RunHloModuleLiterals> ParseLiteralsFile(
    absl::string_view bytes) {
  std::string unpacked;
  if (DetectCompression(bytes) != Compression::kNone) {
    HLOKIT_ASSIGN_OR_RETURN(unpacked, Decompress(bytes));
    bytes = unpacked;
  }
  const bool text = LooksLikeText(bytes);
  xla::RunHloModuleLiterals whole;
  const absl::Status status = Parse(bytes, text, &whole);
  if (status.ok() && IsWhole(whole)) return whole;
  xla::RunHloModuleLiterals one;
  if (Parse(bytes, text, one.add_iterations()).ok() &&
      IsWhole(one.iterations(0))) {
    return one;
  }
  if (!status.ok()) {
    return InvalidArgument("this is no RunHloModuleLiterals: %s",
                           status.message());
  }
  return InvalidArgument(
      "this is no RunHloModuleLiterals and no RunHloModuleIterationLiterals");
}

}  // namespace hlokit

#include "hlo_opt/file_kinds.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "hlo/wire/wire_format.h"

namespace hlokit {
namespace {

// How much of a file is looked at for words anywhere in it.
constexpr size_t kLook = 1 << 14;

// How a row of the table is recognised.
enum class By {
  kMagic,   // the file begins with `sign`
  kStart,   // its text begins so, behind blanks, a byte order mark and comments
  kWord,    // `sign` is in the first kilobytes, and so is `second`
  kCheck,   // `check` says so
};

struct KindRow {
  By by;
  absl::string_view sign;
  FileKind kind;
  absl::string_view second = {};
  bool (*check)(absl::string_view bytes) = nullptr;
};

bool IsTar(absl::string_view bytes) {
  return bytes.size() > 262 && bytes.substr(257, 5) == "ustar";
}

// XSpace: planes (field 1) whose names (field 2) are those of devices.
bool IsXSpace(absl::string_view bytes) {
  wire::WireReader reader(bytes.substr(0, kLook), /*clip=*/true);
  wire::WireField plane;
  if (!reader.Next(&plane) || !plane.Is(1, wire::WireType::kBytes)) {
    return false;
  }
  wire::WireReader fields(plane.bytes, /*clip=*/true);
  wire::WireField field;
  while (fields.Next(&field)) {
    if (field.Is(2, wire::WireType::kBytes)) {
      return absl::StartsWith(field.bytes, "/host:") ||
             absl::StartsWith(field.bytes, "/device:") ||
             absl::StartsWith(field.bytes, "/custom:") ||
             field.bytes == "Task Environment";
    }
    if (!field.Is(1, wire::WireType::kVarint)) return false;
  }
  return false;
}

bool IsTfLite(absl::string_view bytes) {
  return bytes.size() > 8 && bytes.substr(4, 4) == "TFL3";
}

bool IsPickle(absl::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 &&
         bytes[1] <= 5 &&
         absl::StrContains("]}(cX\x95\x8cqKM", bytes.substr(2, 1));
}

// ONNX: ir_version (field 1), then the name of the producer (field 2).
bool IsOnnx(absl::string_view bytes) {
  return bytes.size() > 4 && bytes[0] == '\x08' && bytes[1] > 0 &&
         bytes[1] < 16 && bytes[2] == '\x12' &&
         absl::StrContains(bytes.substr(0, kLook), "onnx");
}

bool IsSavedModel(absl::string_view bytes) {
  return absl::StartsWith(bytes, "\x08\x01\x12") &&
         absl::StrContains(bytes.substr(0, kLook), "serve");
}

// "xla_dump_to: ..." or "--xla_..." lines.
bool IsDebugOptions(absl::string_view text) {
  text = absl::StripLeadingAsciiWhitespace(text);
  return absl::StartsWith(text, "xla_") || absl::StartsWith(text, "--xla_") ||
         absl::StartsWith(text, "XLA_FLAGS=");
}

bool IsPython(absl::string_view text) {
  text = absl::StripLeadingAsciiWhitespace(text);
  if (absl::StartsWith(text, "#!") &&
      absl::StrContains(text.substr(0, 80), "python")) {
    return true;
  }
  return absl::StartsWith(text, "import ") ||
         (absl::StartsWith(text, "from ") &&
          absl::StrContains(text.substr(0, text.find('\n')), " import ")) ||
         absl::StartsWith(text, "def ");
}

constexpr FileKind kStableHlo = {
    "MLIR text (StableHLO or MHLO)",
    "XLA writes HLO with --xla_dump_to=FOLDER"};
constexpr FileKind kLlvm = {
    "LLVM IR text", "hlo-opt --stage=llvm makes it of a module; give the module "
                    "(.txt or .hlo.pb of the same dump)"};
constexpr FileKind kBuffers = {
    "a buffer assignment report",
    "hlo-dumps ls DIR shows the dumps of the folder; hlo-opt "
    "--stage=buffer-assignment makes such a report of a module"};
constexpr FileKind kMemory = {
    "a memory usage report",
    "hlo-dumps ls DIR shows the module that belongs to it"};
constexpr FileKind kArchive = {"an archive (tar)", "unpack it with tar -xf"};
constexpr FileKind kTorchIr = {
    "torch_xla IR text",
    "XLA_SAVE_TENSORS_FMT=hlo writes HLO in its place"};
constexpr FileKind kPtx = {
    "PTX assembly", "give the module of the same dump (.txt or .hlo.pb)"};
constexpr FileKind kGpuCode = {
    "GPU machine code (SASS)",
    "give the module of the same dump (.txt or .hlo.pb)"};
constexpr FileKind kHtml = {"an HTML page without a module in it",
                            "save the raw file, not the page that shows it"};
constexpr FileKind kTrace = {
    "a profiler's trace (trace.json)",
    "xprof keeps the modules in *.hlo_proto.pb beside it"};
constexpr FileKind kDot = {"a Graphviz graph",
                           "dot -Tsvg draws it; give the module of the dump"};
constexpr FileKind kImage = {"an image", "text in it cannot be read here; copy "
                                         "it as text"};
constexpr FileKind kPythonSource = {
    "Python source", "dump the modules that it compiles with "
                     "XLA_FLAGS=--xla_dump_to=FOLDER"};

constexpr KindRow kRows[] = {
    {By::kMagic, "ML\xefR",
     {"MLIR bytecode (StableHLO, or a portable artifact of it)",
      "stablehlo-translate --deserialize makes text of it; XLA writes HLO with "
      "--xla_dump_to=FOLDER"}},
    {By::kMagic, "BC\xc0\xde", {"LLVM bitcode", kLlvm.advice}},
    {By::kMagic, "\xde\xc0\x17\x0b", {"LLVM bitcode", kLlvm.advice}},
    {By::kMagic, "\x7f"
                 "ELF",
     {"machine code (ELF: a program, library or cubin)",
      "give the module of the same dump (.txt or .hlo.pb)"}},
    {By::kMagic, "\x50\xed\x55\xba",
     {"a CUDA fat binary",
      "give the module of the same dump (.txt or .hlo.pb)"}},
    {By::kMagic, "PK\x03\x04",
     {"a zip archive (also .npz, .whl, .docx)", "unpack it with unzip"}},
    {By::kMagic, "PK\x05\x06", {"an empty zip archive", "there is no HLO in it"}},
    {By::kMagic, "\x93NUMPY",
     {"a NumPy array", "run_hlo_module --input_literals_file=FILE takes it as "
                       "an argument"}},
    {By::kMagic, "\x89PNG", kImage},
    {By::kMagic, "\xff\xd8\xff", kImage},
    {By::kMagic, "GIF8", kImage},
    {By::kMagic, "%PDF", {"a PDF document", "copy the text out of it"}},
    {By::kMagic, "7z\xbc\xaf\x27\x1c", {"a 7z archive", "unpack it with 7z x"}},
    {By::kMagic, "\xfd"
                 "7zXZ",
     {"a file compressed by xz", "unpack it with xz -d"}},
    {By::kMagic, "BZh", {"a file compressed by bzip2",
                         "unpack it with bzip2 -d"}},
    {By::kMagic, "\x04\x22\x4d\x18",
     {"a file compressed by lz4", "unpack it with lz4 -d"}},
    {By::kMagic, "\x89HDF", {"an HDF5 file", "it holds arrays, not a program"}},
    {By::kMagic, "SQLite format 3",
     {"an SQLite database (also of Nsight Systems)",
      "it holds measurements, not a program"}},
    {By::kMagic, "ARROW1", {"an Arrow file", "it holds tables, not a program"}},
    {By::kMagic, "PAR1", {"a Parquet file", "it holds tables, not a program"}},
    {By::kCheck, "", kArchive, {}, IsTar},
    {By::kCheck, "",
     {"a profile (XSpace, xplane.pb)",
      "xprof keeps the modules in *.hlo_proto.pb beside it; hlo-opt reads "
      "those"},
     {}, IsXSpace},
    {By::kCheck, "", {"a TFLite model", "convert the model that it was made of"},
     {}, IsTfLite},
    {By::kCheck, "", {"a Python pickle", "write compiled.as_text() to a file"},
     {}, IsPickle},
    {By::kCheck, "", {"an ONNX model", "it is not a program of XLA"}, {}, IsOnnx},
    {By::kCheck, "",
     {"a TensorFlow SavedModel",
      "tf.function's experimental_get_compiler_ir(...)(stage='hlo') gives HLO"},
     {}, IsSavedModel},
    {By::kStart, "version https://git-lfs",
     {"a Git LFS pointer, in place of the file", "run git lfs pull"}},
    {By::kStart, "BufferAssignment:", kBuffers},
    {By::kStart, "Total bytes used:",
     {"a list of the values of a buffer assignment", kBuffers.advice}},
    {By::kStart, "Memory Space:", kMemory},
    {By::kStart, "HloLiveRange",
     {"a report of live ranges", kMemory.advice}},
    {By::kStart, "allocation 0: ", kBuffers},
    {By::kStart, "module @", kStableHlo},
    {By::kStart, "module {", kStableHlo},
    {By::kStart, "module attributes", kStableHlo},
    {By::kStart, "\"builtin.module\"", kStableHlo},
    {By::kStart, "#loc", kStableHlo},
    {By::kStart, "func.func ", kStableHlo},
    {By::kWord, "stablehlo.", kStableHlo, "func.func"},
    {By::kWord, "mhlo.", kStableHlo, "func.func"},
    {By::kStart, "; ModuleID", kLlvm},
    {By::kStart, "source_filename = ", kLlvm},
    {By::kStart, "target datalayout", kLlvm},
    {By::kWord, "\ndefine ", kLlvm, "\n}"},
    {By::kStart, "define ", kLlvm},
    {By::kWord, ".version ", kPtx, ".target sm_"},
    {By::kWord, ".headerflags", kGpuCode, ".text"},
    {By::kWord, "/*0000*/", kGpuCode, ";"},
    {By::kWord, "\nFatbin elf code:", kGpuCode, ""},
    {By::kWord, "IR {", kTorchIr, "## BEGIN_GRAPH"},
    {By::kWord, "xla::device_data", kTorchIr, "%"},
    {By::kStart, "IR {", kTorchIr},
    {By::kStart, "<!DOCTYPE html", kHtml},
    {By::kStart, "<!doctype html", kHtml},
    {By::kStart, "<html", kHtml},
    {By::kStart, "digraph", kDot},
    {By::kStart, "graph {", kDot},
    {By::kStart, "<svg", kImage},
    {By::kStart, "<?xml", {"an XML file", "it does not hold HLO"}},
    {By::kWord, "\"traceEvents\"", kTrace, "{"},
    {By::kWord, "\"displayTimeUnit\"", kTrace, "{"},
    {By::kCheck, "",
     {"debug options (flags of XLA)",
      "hlo-opt MODULE --debug_options_file=FILE uses them; hlo-flags explains "
      "them"},
     {}, IsDebugOptions},
    {By::kCheck, "", kPythonSource, {}, IsPython},
    {By::kStart, "{\n \"cells\"", {"a Jupyter notebook",
                                  "copy the cell that holds the module"}},
};

// Text behind blanks, a byte order mark and the comments of assembly.
absl::string_view StartOfText(absl::string_view bytes) {
  absl::ConsumePrefix(&bytes, "\xef\xbb\xbf");
  return absl::StripLeadingAsciiWhitespace(bytes.substr(0, kLook));
}

bool Matches(const KindRow& row, absl::string_view bytes) {
  switch (row.by) {
    case By::kMagic: return absl::StartsWith(bytes, row.sign);
    case By::kStart: return absl::StartsWith(StartOfText(bytes), row.sign);
    case By::kWord: {
      const absl::string_view start = bytes.substr(0, kLook);
      return absl::StrContains(start, row.sign) &&
             absl::StrContains(start, row.second);
    }
    case By::kCheck: return row.check(bytes);
  }
  return false;
}

// Whether a row may be looked at for text that has modules in it.
bool IsBinaryRow(const KindRow& row) {
  return row.by == By::kMagic || (row.by == By::kCheck &&
                                  row.check != IsDebugOptions &&
                                  row.check != IsPython);
}

}  // namespace

const FileKind* FindFileKind(absl::string_view bytes) {
  for (const KindRow& row : kRows) {
    if (!Matches(row, bytes)) continue;
    const bool has_module =
        !IsBinaryRow(row) && (absl::StrContains(bytes, "HloModule ") ||
                              absl::StrContains(bytes, "ENTRY "));
    return has_module ? nullptr : &row.kind;
  }
  return nullptr;
}

absl::Status NotHloError(absl::string_view file, const FileKind& kind) {
  return InvalidArgument("%s is %s, not HLO; %s", file, kind.what, kind.advice);
}

}  // namespace hlokit

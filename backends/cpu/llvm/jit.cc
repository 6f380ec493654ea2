#include "backends/cpu/llvm/jit.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/cpu/llvm/llvm_library.h"
#include "backends/cpu/llvm/runtime_symbols.h"
#include "base/status.h"

namespace hlokit::cpu {
namespace {

// Calls a function when it goes out of scope.
template <typename F>
class Finally {
 public:
  explicit Finally(F f) : f_(std::move(f)) {}
  ~Finally() { f_(); }
  Finally(const Finally&) = delete;
  Finally& operator=(const Finally&) = delete;

 private:
  F f_;
};

std::string TakeMessage(const LlvmLibrary& llvm, char* message) {
  std::string text = message == nullptr ? "" : message;
  if (message != nullptr) llvm.DisposeMessage(message);
  return text;
}

absl::Status StatusOf(const LlvmLibrary& llvm, LLVMErrorRef error,
                      absl::string_view doing) {
  if (error == nullptr) return absl::OkStatus();
  char* message = llvm.GetErrorMessage(error);
  const std::string text = message;
  llvm.DisposeErrorMessage(message);
  return Internal("%s: %s", doing, text);
}

struct Host {
  std::string triple;
  std::string cpu;
  std::string features;
};

const Host& HostOf(const LlvmLibrary& llvm) {
  static const Host* host = [&llvm] {
    auto* made = new Host;
    made->triple = TakeMessage(llvm, llvm.GetDefaultTargetTriple());
    made->cpu = TakeMessage(llvm, llvm.GetHostCPUName());
    made->features = TakeMessage(llvm, llvm.GetHostCPUFeatures());
    return made;
  }();
  return *host;
}

std::string FeaturesOf(const Host& host, const IrCompileOptions& options) {
  if (!options.max_isa.has_value()) return host.features;
  return absl::StrCat(host.features, ",", FeaturesBeyond(*options.max_isa));
}

absl::StatusOr<LLVMTargetMachineRef> MakeTargetMachine(
    const LlvmLibrary& llvm, const IrCompileOptions& options) {
  const Host& host = HostOf(llvm);
  LLVMTargetRef target = nullptr;
  char* message = nullptr;
  if (llvm.GetTargetFromTriple(host.triple.c_str(), &target, &message)) {
    return absl::UnavailableError(absl::StrCat(
        "LLVM has no target ", host.triple, ": ", TakeMessage(llvm, message)));
  }
  return llvm.CreateTargetMachine(target, host.triple.c_str(), host.cpu.c_str(),
                                  FeaturesOf(host, options).c_str(),
                                  static_cast<LLVMCodeGenOptLevel>(std::clamp(
                                      options.optimization_level, 0, 3)),
                                  LLVMRelocPIC, LLVMCodeModelDefault);
}

// For levels 2 and 3. Generated kernels are loops over arrays without calls to
// each other, so LLVM's own pipelines spend most of their time on questions
// that do not come up: with this one, large programs compile three times as
// fast and run no slower.
#define HLOKIT_COMBINE "instcombine<no-verify-fixpoint>,"
constexpr char kLoopPasses[] =
    "function("
    // Accumulators into registers, loops into the usual form.
    "sroa,early-cse<memssa>,simplifycfg," HLOKIT_COMBINE
    "loop-mssa(loop-rotate,licm),simplifycfg," HLOKIT_COMBINE
    "loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),"
    "sroa,early-cse<memssa>," HLOKIT_COMBINE "loop-mssa(licm),simplifycfg,"
    // Vector code.
    "loop-vectorize,loop-load-elim," HLOKIT_COMBINE
    "simplifycfg,slp-vectorizer,vector-combine," HLOKIT_COMBINE
    // Loops are vector code for several elements at once by now: to unroll them
    // further makes a third more code and no speed.
    "early-cse<memssa>,loop-mssa(licm),simplifycfg)";
#undef HLOKIT_COMBINE

std::string PassesOf(int level) {
  return level >= 2 ? kLoopPasses
                    : absl::StrCat("default<O", std::max(level, 0), ">");
}

absl::Status Optimize(const LlvmLibrary& llvm, LLVMModuleRef module,
                      LLVMTargetMachineRef machine, int level) {
  LLVMPassBuilderOptionsRef options = llvm.CreatePassBuilderOptions();
  const bool full = level >= 2;
  llvm.PassBuilderOptionsSetLoopVectorization(options, full);
  llvm.PassBuilderOptionsSetLoopInterleaving(options, full);
  llvm.PassBuilderOptionsSetLoopUnrolling(options, full);
  llvm.PassBuilderOptionsSetSLPVectorization(options, full);
  LLVMErrorRef error =
      llvm.RunPasses(module, PassesOf(level).c_str(), machine, options);
  llvm.DisposePassBuilderOptions(options);
  return StatusOf(llvm, error, "LLVM's passes");
}

absl::StatusOr<std::string> Emit(const LlvmLibrary& llvm, LLVMModuleRef module,
                                 LLVMTargetMachineRef machine,
                                 LLVMCodeGenFileType type) {
  char* message = nullptr;
  LLVMMemoryBufferRef buffer = nullptr;
  if (llvm.TargetMachineEmitToMemoryBuffer(machine, module, type, &message,
                                           &buffer)) {
    return Internal("LLVM's code generator: %s", TakeMessage(llvm, message));
  }
  std::string bytes(llvm.GetBufferStart(buffer), llvm.GetBufferSize(buffer));
  llvm.DisposeMemoryBuffer(buffer);
  return bytes;
}

class LlvmLoadedCode : public LoadedCode {
 public:
  LlvmLoadedCode(const LlvmLibrary& llvm, LLVMOrcLLJITRef jit)
      : llvm_(llvm), jit_(jit) {}
  ~LlvmLoadedCode() override {
    llvm_.ConsumeError(llvm_.OrcDisposeLLJIT(jit_));
  }

  absl::StatusOr<void*> Find(const std::string& name) const override {
    LLVMOrcExecutorAddress address = 0;
    LLVMErrorRef error = llvm_.OrcLLJITLookup(jit_, &address, name.c_str());
    HLOKIT_RETURN_IF_ERROR(StatusOf(llvm_, error, "linking"));
    return reinterpret_cast<void*>(address);
  }

  absl::Status DefineRuntime() {
    std::vector<LLVMOrcCSymbolMapPair> pairs;
    for (const RuntimeSymbol& symbol : RuntimeSymbols()) {
      LLVMOrcCSymbolMapPair pair = {};
      pair.Name = llvm_.OrcLLJITMangleAndIntern(jit_, symbol.name.c_str());
      pair.Sym.Address =
          reinterpret_cast<LLVMOrcExecutorAddress>(symbol.address);
      pair.Sym.Flags.GenericFlags = LLVMJITSymbolGenericFlagsExported;
      pairs.push_back(pair);
    }
    return StatusOf(llvm_,
                    llvm_.OrcJITDylibDefine(
                        llvm_.OrcLLJITGetMainJITDylib(jit_),
                        llvm_.OrcAbsoluteSymbols(pairs.data(), pairs.size())),
                    "defining the runtime's functions");
  }

  absl::Status Add(absl::string_view object) {
    LLVMMemoryBufferRef buffer = llvm_.CreateMemoryBufferWithMemoryRangeCopy(
        object.data(), object.size(), "object");
    return StatusOf(llvm_,
                    llvm_.OrcLLJITAddObjectFile(
                        jit_, llvm_.OrcLLJITGetMainJITDylib(jit_), buffer),
                    "linking");
  }

 private:
  const LlvmLibrary& llvm_;
  LLVMOrcLLJITRef jit_;
};

}  // namespace

absl::StatusOr<CompiledIr> CompileIr(const std::string& ir,
                                     const IrCompileOptions& options) {
  HLOKIT_ASSIGN_OR_RETURN(const LlvmLibrary* library, LlvmLibrary::Load());
  const LlvmLibrary& llvm = *library;
  HLOKIT_ASSIGN_OR_RETURN(LLVMTargetMachineRef machine,
                          MakeTargetMachine(llvm, options));
  const Finally end_machine([&] { llvm.DisposeTargetMachine(machine); });
  LLVMContextRef context = llvm.ContextCreate();
  const Finally end_context([&] { llvm.ContextDispose(context); });
  LLVMModuleRef module = nullptr;
  char* message = nullptr;
  // The parser takes the buffer over.
  if (llvm.ParseIRInContext(context,
                            llvm.CreateMemoryBufferWithMemoryRange(
                                ir.data(), ir.size(), "hlokit", true),
                            &module, &message)) {
    return Internal("LLVM refuses generated code: %s",
                    TakeMessage(llvm, message));
  }
  const Finally end_module([&] { llvm.DisposeModule(module); });
  llvm.SetTarget(module, HostOf(llvm).triple.c_str());
  LLVMTargetDataRef layout = llvm.CreateTargetDataLayout(machine);
  llvm.SetModuleDataLayout(module, layout);
  llvm.DisposeTargetData(layout);

  HLOKIT_RETURN_IF_ERROR(
      Optimize(llvm, module, machine, options.optimization_level));
  CompiledIr result;
  if (options.texts) {
    result.optimized_ir = TakeMessage(llvm, llvm.PrintModuleToString(module));
    // Generating code changes the module.
    LLVMModuleRef clone = llvm.CloneModule(module);
    auto assembly = Emit(llvm, clone, machine, LLVMAssemblyFile);
    llvm.DisposeModule(clone);
    HLOKIT_ASSIGN_OR_RETURN(result.assembly, std::move(assembly));
  }
  HLOKIT_ASSIGN_OR_RETURN(result.object,
                          Emit(llvm, module, machine, LLVMObjectFile));
  return result;
}

std::string CompilerDescription(const IrCompileOptions& options) {
  const int level = options.optimization_level;
  const auto llvm = LlvmLibrary::Load();
  if (!llvm.ok()) return "";
  const Host& host = HostOf(**llvm);
  return absl::StrCat("llvm-19.1 no-lsr ", host.triple, " ", host.cpu, " ",
                      FeaturesOf(host, options), " ", level, " ",
                      PassesOf(level));
}

absl::StatusOr<std::unique_ptr<LoadedCode>> LoadedCode::Load(
    absl::Span<const absl::string_view> objects) {
  HLOKIT_ASSIGN_OR_RETURN(const LlvmLibrary* llvm, LlvmLibrary::Load());
  LLVMOrcLLJITRef jit = nullptr;
  HLOKIT_RETURN_IF_ERROR(StatusOf(*llvm, llvm->OrcCreateLLJIT(&jit, nullptr),
                                  "starting LLVM's linker"));
  auto code = std::make_unique<LlvmLoadedCode>(*llvm, jit);
  HLOKIT_RETURN_IF_ERROR(code->DefineRuntime());
  for (const absl::string_view object : objects) {
    HLOKIT_RETURN_IF_ERROR(code->Add(object));
  }
  return code;
}

}  // namespace hlokit::cpu

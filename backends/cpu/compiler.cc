#include "backends/cpu/compiler.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "backends/cpu/custom_call_thunk.h"
#include "backends/cpu/defuse.h"
#include "backends/cpu/emit/ir.h"
#include "backends/cpu/partwise.h"
#include "base/status.h"
#include "passes/backend/copy_insertion.h"
#include "passes/control/flatten_call_graph.h"
#include "passes/library_calls/library_call.h"
#include "passes/library_calls/library_call_expander.h"
#include "passes/pipelines.h"
#include "passes/types/sub_byte_size_removal.h"

namespace hlokit::cpu {
namespace {

constexpr const char* kPassesLeftOut[] = {
    // Kernels of our own do these.
    "scatter_expander", "select_and_scatter_expander", "reduce-window-rewriter",
    "topk-decomposer", "operand_upcaster", "result_caster",
    // Reductions are vector code, and split over threads, as they are.
    "tree_reduction_rewriter", "cpu-parallel-task-assigner",
    // Generated code knows it, and to the last digits.
    "logistic-expander",
    // A single instruction needs no fusion around it.
    "fusion-wrapper",
    // Elements under 8 bits take a byte each.
    "sub-byte-size-setter"};

// Functions of one LLVM module at most, for modules are compiled in parallel.
constexpr int64_t kFunctionsPerModule = 24;
// Bytes that the native kernels of a module may keep beside its buffers.
constexpr int64_t kMostKept = 256 << 20;

bool IsAsync(Opcode opcode) {
  switch (InfoOf(opcode).family) {
    case OpFamily::kAsync:
    case OpFamily::kTransfer:
      return true;
    default:
      return opcode == Opcode::kAllGatherStart ||
             opcode == Opcode::kAllGatherDone ||
             opcode == Opcode::kAllReduceStart ||
             opcode == Opcode::kAllReduceDone ||
             opcode == Opcode::kCollectivePermuteStart ||
             opcode == Opcode::kCollectivePermuteDone;
  }
}

bool HasUnknownParts(const Shape& shape) {
  if (shape.IsTuple()) {
    return std::any_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(),
                       HasUnknownParts);
  }
  return !shape.IsArray() && !shape.IsToken();
}

absl::Status RunPipelines(std::vector<std::unique_ptr<Pipeline>> pipelines,
                          const CompileOptions& options, Module* module) {
  PassSelection selection = options.passes;
  selection.disabled.insert(selection.disabled.end(),
                            std::begin(kPassesLeftOut),
                            std::end(kPassesLeftOut));
  for (auto& pipeline : pipelines) {
    pipeline->set_selection(selection);
    if (options.on_pipeline) options.on_pipeline(pipeline.get(), *module);
    HLOKIT_RETURN_IF_ERROR(pipeline->Run(module).status());
  }
  return absl::OkStatus();
}

// As LLVM writes them; XLA's choice.
std::string FastMathFlags(const CompileOptions::FastMath& f) {
  if (!f.enabled) return "";
  if (!f.honor_nans && !f.honor_infs && !f.honor_division &&
      !f.honor_functions) {
    return "fast";
  }
  return absl::StrCat("reassoc", f.honor_nans ? "" : " nnan",
                      f.honor_infs ? "" : " ninf", " nsz",
                      f.honor_division ? "" : " arcp", " contract",
                      f.honor_functions ? "" : " afn");
}

class ThunkBuilder : public KernelEnvironment {
 public:
  ThunkBuilder(const Module& module, Program* program,
               const ProgramOptions& options)
      : module_(module),
        program_(program),
        isa_(std::min(HostIsa(), options.ir.max_isa.value_or(HostIsa()))) {
    ir_.set_fast_math(FastMathFlags(options.fast_math));
    ir_.set_reorders_sums(!options.exact_arithmetic);
    ir_.set_isa(isa_);
  }

  Isa isa() const override { return isa_; }

  absl::StatusOr<ThunkSequence> Sequence(const Computation& computation) {
    ThunkSequence sequence;
    for (const Instruction* i : module_.ExecutionOrder(computation)) {
      HLOKIT_RETURN_IF_ERROR(Add(*i, &sequence));
      if (!sequence.thunks().empty() && sequence.thunks().back()->at() == i) {
        sequence.thunks().back()->SetPlaces(PlacesOfOperands(*i), PlaceOf(*i));
      }
    }
    sequence.SetGroups(FindPartwiseGroups(sequence.thunks()));
    return sequence;
  }

  const ElementFunction* Compile(const Computation& computation) override {
    auto& known = functions_[&computation];
    if (known != nullptr) return known;
    const std::string name = EmitElementFunction(computation, &ir_);
    if (name.empty()) return nullptr;
    program_->element_functions.push_back(std::make_unique<ElementFunction>());
    known = program_->element_functions.back().get();
    element_names_.push_back(name);
    return known;
  }

  bool IsConstant(const Instruction& operand) override {
    const Instruction* from = &operand;
    if (from->opcode() == Opcode::kParameter && fusion_ != nullptr) {
      from = fusion_->operand(from->parameter_number());
    }
    while (from->opcode() == Opcode::kBitcast) from = from->operand(0);
    return from->opcode() == Opcode::kConstant;
  }

  bool MayKeep(int64_t bytes) override {
    if (bytes > kMostKept - kept_) return false;
    kept_ += bytes;
    return true;
  }

  // Compiles what was written and gives the thunks their functions.
  absl::Status Load(const ProgramOptions& options) {
    const int64_t count = ir_.function_count();
    if (count == 0) return absl::OkStatus();
    for (int64_t k = 0; k < count; k += kFunctionsPerModule) {
      program_->ir.push_back(
          ir_.Text(k, std::min(count, k + kFunctionsPerModule)));
    }
    const int64_t modules = program_->ir.size();
    program_->compiled.resize(modules);
    std::vector<absl::Status> errors(modules);
    options.pool->ParallelFor(modules, 1, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        auto compiled = CompileOrFind(program_->ir[k], options);
        errors[k] = compiled.status();
        if (compiled.ok()) program_->compiled[k] = *std::move(compiled);
      }
    });
    for (const absl::Status& error : errors) HLOKIT_RETURN_IF_ERROR(error);
    std::vector<absl::string_view> objects;
    for (const CompiledIr& compiled : program_->compiled) {
      objects.push_back(compiled.object);
    }
    HLOKIT_ASSIGN_OR_RETURN(program_->code, LoadedCode::Load(objects));
    for (KernelThunk* thunk : kernel_thunks_) {
      for (KernelThunk::Kernel& kernel : thunk->kernels()) {
        HLOKIT_ASSIGN_OR_RETURN(void* address,
                                program_->code->Find(kernel.emitted.function));
        kernel.function = reinterpret_cast<KernelFunction>(address);
      }
    }
    for (size_t k = 0; k < element_names_.size(); ++k) {
      HLOKIT_ASSIGN_OR_RETURN(void* address,
                              program_->code->Find(element_names_[k]));
      program_->element_functions[k]->call =
          reinterpret_cast<void (*)(const void* const*, void* const*)>(address);
    }
    return absl::OkStatus();
  }

  Place PlaceOf(const Instruction& i) const {
    Place place{i.shape(), {}};
    int64_t number = 0;
    for (const ShapePart& part : PartsOf(i.shape())) {
      if (part.is_leaf) place.leaves.push_back(SliceAt(i, number));
      ++number;
    }
    return place;
  }

 private:
  static absl::StatusOr<CompiledIr> CompileOrFind(
      const std::string& ir, const ProgramOptions& options) {
    if (options.cache == nullptr || options.ir.texts) {
      return CompileIr(ir, options.ir);
    }
    const std::string key =
        ObjectCache::KeyOf({CompilerDescription(options.ir), ir});
    CompiledIr found;
    if (options.cache->Find(key, &found.object)) return found;
    HLOKIT_ASSIGN_OR_RETURN(CompiledIr compiled, CompileIr(ir, options.ir));
    options.cache->Store(key, compiled.object);
    return compiled;
  }

  Slice SliceAt(const Instruction& i, int64_t part) const {
    const BufferSlice& slice = program_->buffers.SliceAt(&i, part);
    return {static_cast<int32_t>(slice.allocation), slice.offset, slice.size};
  }

  static bool HasMemory(absl::Span<const Slice> slices) {
    return std::all_of(slices.begin(), slices.end(), [](const Slice& slice) {
      return slice.allocation >= 0;
    });
  }

  std::vector<Slice> OperandSlices(const Instruction& i) const {
    std::vector<Slice> slices;
    for (const Place& place : PlacesOfOperands(i)) {
      slices.insert(slices.end(), place.leaves.begin(), place.leaves.end());
    }
    return slices;
  }

  std::vector<Place> PlacesOfOperands(const Instruction& i) const {
    std::vector<Place> places;
    for (const Instruction* operand : i.operands()) {
      places.push_back(PlaceOf(*operand));
    }
    return places;
  }

  absl::Status Add(const Instruction& i, ThunkSequence* sequence) {
    switch (i.opcode()) {
      case Opcode::kWhile:
        return AddWhile(i, sequence);
      case Opcode::kConditional:
        return AddConditional(i, sequence);
      case Opcode::kCall: {
        HLOKIT_ASSIGN_OR_RETURN(ThunkSequence called, Sequence(*i.to_apply()));
        sequence->Add(std::make_unique<CallThunk>(&i, std::move(called)));
        return absl::OkStatus();
      }
      default:
        break;
    }
    // Sizes of dynamic arrays would have to move in memory, or be there.
    if ((i.opcode() == Opcode::kBitcast || i.opcode() == Opcode::kConstant) &&
        (i.shape().is_dynamic() || TakesDynamicArrays(i))) {
      return InvalidArgument("%s has a dynamic shape", i.name());
    }
    if (OnlyForwards(i) || i.opcode() == Opcode::kParameter ||
        i.opcode() == Opcode::kConstant || i.opcode() == Opcode::kAfterAll) {
      return absl::OkStatus();
    }
    if (const auto* site = program_->custom_calls->Find(i); site != nullptr) {
      sequence->Add(std::make_unique<CustomCallThunk>(site));
      return absl::OkStatus();
    }
    if (IsEmpty(i) || AddCopy(i, sequence) || AddNative(i, sequence) ||
        AddKernel(i, sequence)) {
      return absl::OkStatus();
    }
    sequence->Add(std::make_unique<InterpretedThunk>(&i));
    return absl::OkStatus();
  }

  // Nothing to compute and no effect.
  static bool IsEmpty(const Instruction& i) {
    return i.shape().IsArray() && ElementsIn(i.shape()) == 0 &&
           !i.shape().is_dynamic() && !i.HasSideEffect();
  }

  bool AddCopy(const Instruction& i, ThunkSequence* sequence) {
    const bool copy =
        i.opcode() == Opcode::kCopy || i.opcode() == Opcode::kReshape;
    if (!copy || !i.shape().IsArray()) return false;
    const Shape& from = i.operand(0)->shape();
    if (i.opcode() == Opcode::kReshape
            ? !LiesRowMajor(from) || !LiesRowMajor(i.shape())
            : from != i.shape()) {
      return false;
    }
    sequence->Add(std::make_unique<CopyThunk>(&i, SliceAt(*i.operand(0), 0),
                                              SliceAt(i, 0)));
    return true;
  }

  bool AddNative(const Instruction& i, ThunkSequence* sequence) {
    const Instruction* core =
        i.opcode() == Opcode::kFusion ? OnlyInstruction(i) : &i;
    if (core == nullptr) return false;
    const KernelFactory factory = NativeKernelOf(core->opcode());
    if (factory == nullptr) return false;
    if (core != &i && TakesDynamicArrays(i)) return false;
    std::vector<Slice> operands;
    for (const Instruction* operand : core->operands()) {
      const Place place = PlaceOf(
          core == &i ? *operand : *i.operand(operand->parameter_number()));
      operands.insert(operands.end(), place.leaves.begin(), place.leaves.end());
    }
    std::vector<Slice> results = PlaceOf(i).leaves;
    if (!HasMemory(operands) || !HasMemory(results)) return false;
    fusion_ = core == &i ? nullptr : &i;
    std::unique_ptr<NativeKernel> kernel = factory(*core, *this);
    if (kernel == nullptr) return false;
    sequence->Add(std::make_unique<NativeThunk>(
        &i, std::move(kernel), std::move(operands), std::move(results)));
    return true;
  }

  bool AddKernel(const Instruction& i, ThunkSequence* sequence) {
    KernelArrays arrays;
    std::vector<Slice> slices;
    const auto number = [&](const Slice& slice) {
      const auto it = std::find(slices.begin(), slices.end(), slice);
      if (it != slices.end()) return static_cast<int>(it - slices.begin());
      slices.push_back(slice);
      return static_cast<int>(slices.size()) - 1;
    };
    const std::vector<Slice> operands = OperandSlices(i);
    const std::vector<Slice> results = PlaceOf(i).leaves;
    if (!HasMemory(operands) || !HasMemory(results)) return false;
    if (TakesDynamicArrays(i)) return false;
    if (operands.size() != static_cast<size_t>(i.operand_count())) return false;
    for (const Slice& slice : operands) {
      arrays.operands.push_back(number(slice));
    }
    for (const Slice& slice : results) arrays.results.push_back(number(slice));
    if (ResultsOverlap(slices, arrays)) return false;
    const std::vector<EmittedKernel> emitted = EmitKernels(i, arrays, &ir_);
    if (emitted.empty()) return false;
    std::vector<KernelThunk::Kernel> kernels;
    for (const EmittedKernel& kernel : emitted) kernels.push_back({kernel});
    auto thunk = std::make_unique<KernelThunk>(&i, std::move(kernels),
                                               std::move(slices));
    kernel_thunks_.push_back(thunk.get());
    sequence->Add(std::move(thunk));
    return true;
  }

  static bool TakesDynamicArrays(const Instruction& i) {
    return absl::c_any_of(i.operands(), [](const Instruction* operand) {
      return operand->shape().is_dynamic();
    });
  }

  // Whether a result overlaps another array without being the same.
  static bool ResultsOverlap(absl::Span<const Slice> slices,
                             const KernelArrays& arrays) {
    for (int result : arrays.results) {
      const Slice& a = slices[result];
      for (const Slice& b : slices) {
        if (!(a == b) && Overlap(a, b)) return true;
      }
    }
    return false;
  }

  absl::Status AddWhile(const Instruction& i, ThunkSequence* sequence) {
    HLOKIT_ASSIGN_OR_RETURN(ThunkSequence condition,
                            Sequence(*i.while_condition()));
    HLOKIT_ASSIGN_OR_RETURN(ThunkSequence body, Sequence(*i.while_body()));
    sequence->Add(std::make_unique<WhileThunk>(
        &i, SliceAt(*i.while_condition()->root(), 0), std::move(condition),
        std::move(body)));
    return absl::OkStatus();
  }

  absl::Status AddConditional(const Instruction& i, ThunkSequence* sequence) {
    std::vector<ThunkSequence> branches;
    for (const Computation* branch : i.called_computations()) {
      HLOKIT_ASSIGN_OR_RETURN(ThunkSequence thunks, Sequence(*branch));
      branches.push_back(std::move(thunks));
    }
    sequence->Add(std::make_unique<ConditionalThunk>(
        &i, SliceAt(*i.operand(0), 0),
        i.operand(0)->shape().element_type() == kPred, std::move(branches)));
    return absl::OkStatus();
  }

  const Module& module_;
  Program* program_;
  const Isa isa_;
  IrModule ir_;
  const Instruction* fusion_ = nullptr;  // whose only instruction is a kernel
  int64_t kept_ = 0;  // bytes that native kernels keep
  std::vector<KernelThunk*> kernel_thunks_;
  absl::flat_hash_map<const Computation*, const ElementFunction*> functions_;
  std::vector<std::string> element_names_;
};

// Bytes of constants in the order of their layouts.
void PlaceConstants(Program* program) {
  const auto& allocations = program->buffers.allocations();
  program->constants.resize(allocations.size());
  program->constant_data.assign(allocations.size(), nullptr);
  for (size_t a = 0; a < allocations.size(); ++a) {
    if (allocations[a].kind != BufferAllocation::kConstant) continue;
    for (const BufferAllocation::Assigned& assigned : allocations[a].assigned) {
      const HloValue& value =
          program->buffers.dataflow().values()[assigned.value];
      if (value.at->opcode() != Opcode::kConstant) continue;
      const Literal& literal = value.at->literal()->Sub(value.index);
      if (!literal.shape().IsArray()) continue;
      const bool aligned =
          reinterpret_cast<uintptr_t>(literal.untyped_data()) % 64 == 0;
      if (LiesRowMajor(value.shape) && aligned && literal.size_bytes() > 0) {
        program->constant_data[a] = literal.untyped_data();
      } else {
        // Room to begin at a multiple of 64.
        std::string& bytes = program->constants[a];
        bytes.resize(literal.size_bytes() + 64);
        char* begin = bytes.data() +
                      (64 - reinterpret_cast<uintptr_t>(bytes.data()) % 64);
        RowMajorToLayout(value.shape, literal.untyped_data(), begin);
        program->constant_data[a] = begin;
      }
    }
  }
}

}  // namespace

std::string ReasonToInterpret(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (i->shape().has_unbounded_dimension()) {
        return absl::StrCat(i->name(), " has no bounds");
      }
      if (IsAsync(i->opcode()) || HasUnknownParts(i->shape()) ||
          i->opcode() == Opcode::kPartitionId ||
          i->opcode() == Opcode::kReplicaId) {
        return absl::StrCat(i->name(), " is ", OpcodeName(i->opcode()));
      }
    }
  }
  return "";
}

// Library calls that the user's own libraries do not serve become plain HLO, so
// that they are compiled like everything else. Modules without such calls see
// no pipeline more.
absl::Status ExpandLibraryCalls(Module* module, const CompileOptions& options) {
  const auto selects = [](const Instruction& call) {
    const auto handler = custom_call::CustomCallRegistry::Global().Find(call);
    return handler.ok() && *handler == nullptr;
  };
  bool found = false;
  for (const auto& computation : module->computations()) {
    for (const Instruction* i : computation->instructions()) {
      found = found || IsLibraryCall(*i);
    }
  }
  if (!found) return absl::OkStatus();
  std::vector<std::unique_ptr<Pipeline>> pipelines;
  pipelines.push_back(std::make_unique<Pipeline>("library-calls"));
  pipelines.back()->Add<LibraryCallExpander>(selects);
  return RunPipelines(std::move(pipelines), options, module);
}

absl::Span<const char* const> PassesLeftOut() { return kPassesLeftOut; }

absl::Status OptimizeForCpu(Module* module, const CompileOptions& options) {
  HLOKIT_RETURN_IF_ERROR(ExpandLibraryCalls(module, options));
  HLOKIT_RETURN_IF_ERROR(RunPipelines(CpuPipelines(), options, module));
  HLOKIT_RETURN_IF_ERROR(SubByteSizeRemoval().Run(module).status());
  if (DefuseWhatIsNotCompiled(module)) {
    HLOKIT_RETURN_IF_ERROR(CopyInsertion().Run(module).status());
  }
  return RunPipelines(CpuBackendPipelines(), options, module);
}

absl::Status PrepareForCpu(Module* module, const CompileOptions& options) {
  HLOKIT_RETURN_IF_ERROR(ExpandLibraryCalls(module, options));
  HLOKIT_RETURN_IF_ERROR(SubByteSizeRemoval().Run(module).status());
  for (const auto& computation : module->computations()) {
    for (Instruction* i : computation->instructions()) {
      Shape shape = i->shape();
      shape.SetDescendingLayouts();
      if (shape != i->shape()) i->set_shape(std::move(shape));
    }
  }
  if (!DefuseWhatIsNotCompiled(module) && module->is_scheduled()) {
    return absl::OkStatus();
  }
  HLOKIT_RETURN_IF_ERROR(FlattenCallGraph().Run(module).status());
  HLOKIT_RETURN_IF_ERROR(CopyInsertion().Run(module).status());
  return RunPipelines(CpuBackendPipelines(), options, module);
}

ProgramOptions ProgramOptionsOf(const CompileOptions& options) {
  ProgramOptions result;
  result.ir.optimization_level = options.optimization_level;
  result.ir.max_isa = IsaOf(options.max_isa);
  result.exact_arithmetic = options.passes.exact_arithmetic;
  if (!result.exact_arithmetic) result.fast_math = options.fast_math;
  result.pool = ThreadPool::Default();
  return result;
}

absl::StatusOr<std::unique_ptr<Program>> CompileProgram(
    const Module& module, const ProgramOptions& options) {
  auto program = std::make_unique<Program>();
  HLOKIT_ASSIGN_OR_RETURN(program->buffers, AssignBuffers(module));
  PlaceConstants(program.get());
  HLOKIT_ASSIGN_OR_RETURN(program->custom_calls,
                          custom_call::CustomCallSites::Create(module));
  ThunkBuilder builder(module, program.get(), options);
  const Computation& entry = *module.entry();
  HLOKIT_ASSIGN_OR_RETURN(program->thunks, builder.Sequence(entry));
  program->result = builder.PlaceOf(*entry.root());
  HLOKIT_RETURN_IF_ERROR(builder.Load(options));
  return program;
}

}  // namespace hlokit::cpu

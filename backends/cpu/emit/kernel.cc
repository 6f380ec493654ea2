#include "backends/cpu/emit/kernel.h"

#include <algorithm>

#include "backends/cpu/emit/kernel_writer.h"
#include "backends/cpu/emit/loop_nest.h"

namespace hlokit::cpu {
namespace {

// About what one element of an operation costs, in operations.
int64_t WorkOf(const Instruction& i) {
  switch (i.opcode()) {
    case Opcode::kParameter:
    case Opcode::kConstant:
    case Opcode::kTuple:
      return 0;
    case Opcode::kExponential:
    case Opcode::kLog:
    case Opcode::kTanh:
    case Opcode::kErf:
    case Opcode::kLogistic:
    case Opcode::kPower:
    case Opcode::kSine:
    case Opcode::kCosine:
      return 8;
    default:
      return 1;
  }
}

bool IsArrayOrTupleOfArrays(const Shape& shape) {
  if (!shape.IsTuple()) return shape.IsArray() && !shape.is_dynamic();
  for (const Shape& part : shape.tuple_shapes()) {
    if (!part.IsArray() || part.is_dynamic()) return false;
  }
  return !shape.tuple_shapes().empty();
}

// False when a part is not elemental.
bool Describe(const Instruction& i, const KernelArrays& arrays,
              KernelSource* source) {
  if (!IsArrayOrTupleOfArrays(i.shape())) return false;
  source->results = arrays.results;
  for (int array : arrays.operands) {
    source->array_count = std::max(source->array_count, array + 1);
  }
  for (int array : arrays.results) {
    source->array_count = std::max(source->array_count, array + 1);
  }
  if (i.opcode() != Opcode::kFusion) {
    if (!IsElemental(i) || i.opcode() == Opcode::kParameter) return false;
    // The same instruction may be several operands.
    for (int64_t k = 0; k < i.operand_count(); ++k) {
      source->leaves.try_emplace(i.operand(k), arrays.operands[k]);
    }
    source->roots.assign(LeafCount(i.shape()), &i);
    source->work = WorkOf(i);
    return true;
  }
  const Computation& body = *i.called_computation(0);
  if (!IsElemental(body)) return false;
  for (int64_t k = 0; k < body.parameter_count(); ++k) {
    if (!body.parameter(k)->shape().IsArray()) return false;
    source->leaves.try_emplace(body.parameter(k), arrays.operands[k]);
  }
  const Instruction* root = body.root();
  if (root->opcode() == Opcode::kTuple) {
    for (const Instruction* part : root->operands()) {
      source->roots.push_back(part);
    }
  } else {
    source->roots.assign(LeafCount(root->shape()), root);
  }
  for (const Instruction* part : body.instructions()) {
    source->work += WorkOf(*part);
  }
  return true;
}

constexpr KernelForm kForms[] = {EmitUpdateInPlace, EmitConcatenation,
                                 EmitReduction, EmitLoops};

}  // namespace

std::vector<EmittedKernel> EmitKernels(const Instruction& i,
                                       const KernelArrays& arrays,
                                       IrModule* module) {
  KernelSource source;
  std::vector<EmittedKernel> kernels;
  if (!Describe(i, arrays, &source)) return kernels;
  for (KernelForm form : kForms) {
    kernels.clear();
    if (form(source, module, &kernels)) return kernels;
  }
  kernels.clear();
  return kernels;
}

bool EmitLoops(const KernelSource& source, IrModule* module,
               std::vector<EmittedKernel>* kernels) {
  const auto is_leaf = [&](const Instruction& i) { return source.IsLeaf(i); };
  // Results of the same shape come from one loop.
  std::vector<bool> done(source.roots.size(), false);
  for (size_t k = 0; k < source.roots.size(); ++k) {
    const Shape& shape = source.roots[k]->shape();
    done[k] = shape.IsArray() && ElementsIn(shape) == 0;
  }
  for (size_t first = 0; first < source.roots.size(); ++first) {
    if (done[first]) continue;
    const Shape& shape = source.roots[first]->shape();
    if (!shape.IsArray()) return false;
    std::vector<size_t> together;
    std::vector<const Instruction*> roots;
    for (size_t k = first; k < source.roots.size(); ++k) {
      const Shape& other = source.roots[k]->shape();
      if (!done[k] && other.dimensions() == shape.dimensions() &&
          MajorToMinor(other) == MajorToMinor(shape)) {
        done[k] = true;
        together.push_back(k);
        roots.push_back(source.roots[k]);
      }
    }
    // With several loops one must not overwrite what the next reads.
    if (together.size() < source.roots.size()) {
      for (const auto& [leaf, array] : source.leaves) {
        if (source.IsWritten(array)) return false;
      }
    }
    const LoopNest nest(shape, roots, is_leaf);
    KernelWriter writer(source, module);
    nest.Emit(writer.f(), writer.begin(), writer.end(),
              [&](const Index& index) {
                writer.elements().Nested([&] {
                  std::vector<Element> elements;
                  for (const Instruction* root : roots) {
                    elements.push_back(writer.elements().Emit(*root, index));
                  }
                  for (size_t k = 0; k < roots.size(); ++k) {
                    writer.Write(source.results[together[k]], roots[k]->shape(),
                                 index, elements[k]);
                  }
                });
              });
    if (writer.failed()) return false;
    kernels->push_back({writer.Finish(), nest.parallel_iterations(),
                        nest.elements_each() * source.work,
                        together.size() == source.roots.size()});
  }
  return true;
}

bool EmitUpdateInPlace(const KernelSource& source, IrModule* module,
                       std::vector<EmittedKernel>* kernels) {
  if (source.roots.size() != 1) return false;
  const Instruction& root = *source.roots[0];
  if (root.opcode() != Opcode::kDynamicUpdateSlice) return false;
  // Only where the array that is updated is there already.
  const Instruction* whole = root.operand(0);
  const auto leaf = source.leaves.find(whole);
  if (leaf == source.leaves.end() || leaf->second != source.results[0] ||
      MajorToMinor(whole->shape()) != MajorToMinor(root.shape())) {
    return false;
  }
  const Instruction& update = *root.operand(1);
  // Dimensions that are one in the update must be one in the whole, too.
  const LoopNest nest(
      update.shape(), {&update},
      [&](const Instruction& i) { return source.IsLeaf(i); },
      [&](int64_t major, int64_t minor) {
        return AreNeighbours(root.shape(), major, minor) &&
               update.shape().dimension(minor) == root.shape().dimension(minor);
      });
  KernelWriter writer(source, module);
  const Index starts = writer.elements().DynamicStarts(
      root, 2, root.shape(), update.shape().dimensions());
  nest.Emit(writer.f(), writer.begin(), writer.end(), [&](const Index& index) {
    writer.elements().Nested([&] {
      const Element element = writer.elements().Emit(update, index);
      Index at = index;
      for (size_t d = 0; d < at.size(); ++d) {
        at[d] = writer.f().Add(at[d], starts[d]);
      }
      writer.Write(source.results[0], root.shape(), at, element);
    });
  });
  if (writer.failed()) return false;
  kernels->push_back({writer.Finish(), nest.parallel_iterations(),
                      nest.elements_each() * source.work});
  return true;
}

bool EmitConcatenation(const KernelSource& source, IrModule* module,
                       std::vector<EmittedKernel>* kernels) {
  if (source.roots.size() != 1) return false;
  const Instruction& root = *source.roots[0];
  if (root.opcode() != Opcode::kConcatenate) return false;
  for (const auto& [leaf, array] : source.leaves) {
    if (source.IsWritten(array)) return false;
  }
  const int64_t d = root.dimension(0);
  int64_t begin = 0;
  for (const Instruction* part : root.operands()) {
    if (part->shape().dimension(d) == 0) continue;
    // In the order of the whole.
    Shape shape = part->shape();
    if (root.shape().has_layout()) shape.set_layout(root.shape().layout());
    const LoopNest nest(
        shape, {part}, [&](const Instruction& i) { return source.IsLeaf(i); },
        [&](int64_t major, int64_t minor) {
          return minor != d && AreNeighbours(root.shape(), major, minor);
        });
    KernelWriter writer(source, module);
    nest.Emit(writer.f(), writer.begin(), writer.end(),
              [&](const Index& index) {
                writer.elements().Nested([&] {
                  const Element element = writer.elements().Emit(*part, index);
                  Index at = index;
                  at[d] = writer.f().Add(at[d], writer.f().Const(begin));
                  writer.Write(source.results[0], root.shape(), at, element);
                });
              });
    if (writer.failed()) return false;
    kernels->push_back({writer.Finish(), nest.parallel_iterations(),
                        nest.elements_each() * source.work});
    begin += part->shape().dimension(d);
  }
  return true;
}

std::string EmitElementFunction(const Computation& computation,
                                IrModule* module) {
  if (!IsElemental(computation)) return "";
  for (const Instruction* parameter : computation.parameters()) {
    if (!parameter->shape().IsScalar()) return "";
  }
  IrFunction f(module, {{"ptr", "arguments"}, {"ptr", "results"}});
  std::vector<Element> arguments;
  for (int64_t k = 0; k < computation.parameter_count(); ++k) {
    const IrValue at = f.Load("ptr", f.Gep("ptr", f.arg(0), f.Const(k)));
    arguments.push_back(LoadElement(
        f, computation.parameter(k)->shape().element_type(), at, f.Const(0)));
  }
  ElementalEmitter emitter(f, [](const Instruction&, absl::Span<const IrValue>,
                                 Element*) { return false; });
  const std::vector<Element> results = emitter.Apply(computation, arguments);
  if (emitter.failed()) return "";
  for (size_t k = 0; k < results.size(); ++k) {
    const IrValue at = f.Load("ptr", f.Gep("ptr", f.arg(1), f.Const(k)));
    StoreElement(f, results[k], at, f.Const(0));
  }
  return f.Finish();
}

}  // namespace hlokit::cpu

#include "backends/custom_call/call_site.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "hlo/ir/op_attributes.h"

namespace hlokit::custom_call {
namespace {

// Tuples taken apart, in order.
void AppendLeaves(const Shape& shape, std::vector<Shape>* leaves) {
  if (!shape.IsTuple()) {
    leaves->push_back(shape);
    return;
  }
  for (const Shape& part : shape.tuple_shapes()) AppendLeaves(part, leaves);
}

int64_t CountLeaves(const Shape& shape) {
  if (!shape.IsTuple()) return 1;
  int64_t count = 0;
  for (const Shape& part : shape.tuple_shapes()) count += CountLeaves(part);
  return count;
}

// The number of the first leaf at `index`.
int64_t LeafAt(const Shape& shape, absl::Span<const int64_t> index) {
  int64_t leaf = 0;
  const Shape* at = &shape;
  for (int64_t k : index) {
    for (int64_t before = 0; before < k; ++before) {
      leaf += CountLeaves(at->tuple_shape(before));
    }
    at = &at->tuple_shape(k);
  }
  return leaf;
}

void UseDescendingLayouts(std::vector<Shape>* leaves) {
  for (Shape& shape : *leaves) {
    if (shape.IsArray()) shape.SetDescendingLayouts(true);
  }
}

absl::string_view FrontendAttribute(const Instruction& call,
                                    absl::string_view name) {
  const auto* all =
      call.attrs().Get<FrontendAttributes>(AttrId::kFrontendAttributes);
  if (all == nullptr) return "";
  const auto it = all->find(std::string(name));
  return it == all->end() ? absl::string_view() : it->second;
}

const ShapeList* LayoutConstraints(const Instruction& call) {
  return call.attrs().Get<ShapeList>(AttrId::kOperandLayoutConstraints);
}

bool LiesDescending(const Shape& shape) {
  return !shape.has_layout() || shape.layout().IsDescending();
}

bool SameOrder(const Shape& a, const Shape& b) {
  if (LiesDescending(a) || LiesDescending(b)) {
    return LiesDescending(a) && LiesDescending(b);
  }
  return a.layout().minor_to_major == b.layout().minor_to_major;
}

// Elements under 8 bits lie packed where handlers see them, the first one in
// the low bits.
int64_t PackedBits(const Shape& shape) {
  if (!shape.IsArray() || shape.element_type() == kPred) return 0;
  const int64_t bits = BitWidth(shape.element_type());
  return bits < 8 ? bits : 0;
}

void Pack(int64_t count, int64_t bits, const char* in, char* out) {
  const int64_t per_byte = 8 / bits;
  std::memset(out, 0, (count + per_byte - 1) / per_byte);
  const uint8_t mask = (1 << bits) - 1;
  for (int64_t k = 0; k < count; ++k) {
    out[k / per_byte] |= (in[k] & mask) << (k % per_byte * bits);
  }
}

void Unpack(PrimitiveType type, int64_t count, const char* in, char* out) {
  const int64_t bits = BitWidth(type);
  const int64_t per_byte = 8 / bits;
  const uint8_t mask = (1 << bits) - 1;
  const bool is_signed = IsSignedIntType(type);
  for (int64_t k = 0; k < count; ++k) {
    uint8_t value =
        static_cast<uint8_t>(in[k / per_byte]) >> (k % per_byte * bits) & mask;
    if (is_signed && (value >> (bits - 1) & 1)) value |= ~mask;
    out[k] = static_cast<char>(value);
  }
}

struct FreeBlock {
  void operator()(char* p) const { std::free(p); }
};
using Block = std::unique_ptr<char, FreeBlock>;

Block MakeBlock(int64_t size) {
  return Block(static_cast<char*>(
      std::aligned_alloc(64, (std::max<int64_t>(size, 1) + 63) / 64 * 64)));
}

// An array as the handler wants it: where it is, or a copy of it.
class WantedArray {
 public:
  WantedArray(const Shape& wanted, const ArrayPlace& place)
      : wanted_(wanted), place_(place) {
    const bool same = !wanted.IsArray() || (SameOrder(wanted, *place.shape) &&
                                            PackedBits(wanted) == 0);
    if (!same) copy_ = MakeBlock(Bytes());
  }
  char* data() const { return copy_ != nullptr ? copy_.get() : place_.data; }

  void CopyIn() {
    if (copy_ == nullptr) return;
    if (SameOrder(wanted_, *place_.shape)) {
      Pack(ElementsIn(wanted_), PackedBits(wanted_), place_.data, copy_.get());
      return;
    }
    const Block row_major = MakeBlock(Bytes());
    LayoutToRowMajor(*place_.shape, place_.data, row_major.get());
    if (PackedBits(wanted_) == 0) {
      RowMajorToLayout(wanted_, row_major.get(), copy_.get());
      return;
    }
    const Block ordered = MakeBlock(Bytes());
    RowMajorToLayout(wanted_, row_major.get(), ordered.get());
    Pack(ElementsIn(wanted_), PackedBits(wanted_), ordered.get(), copy_.get());
  }

  void CopyOut() {
    if (copy_ == nullptr) return;
    Block unpacked;
    const char* from = copy_.get();
    if (PackedBits(wanted_) != 0) {
      unpacked = MakeBlock(Bytes());
      Unpack(wanted_.element_type(), ElementsIn(wanted_), from,
             unpacked.get());
      from = unpacked.get();
    }
    const Block row_major = MakeBlock(Bytes());
    LayoutToRowMajor(wanted_, from, row_major.get());
    RowMajorToLayout(*place_.shape, row_major.get(), place_.data);
  }

 private:
  int64_t Bytes() const {
    return ElementsIn(wanted_) * StorageBytes(wanted_.element_type());
  }

  const Shape& wanted_;
  const ArrayPlace& place_;
  Block copy_;
};

// The buffers of a call frame.
class Buffers {
 public:
  Buffers(absl::Span<const Shape> shapes, absl::Span<void* const> data) {
    buffers_.reserve(shapes.size());
    for (size_t k = 0; k < shapes.size(); ++k) {
      const absl::Span<const int64_t> sizes = shapes[k].dimensions();
      buffers_.push_back(
          {HLOKIT_SIZE_THROUGH(XLA_FFI_Buffer, dims), nullptr,
           static_cast<XLA_FFI_DataType>(
               shapes[k].IsToken() ? kToken : shapes[k].element_type()),
           data.empty() ? nullptr : data[k], static_cast<int64_t>(sizes.size()),
           const_cast<int64_t*>(sizes.data())});
      pointers_.push_back(&buffers_.back());
    }
    arg_types_.assign(shapes.size(), XLA_FFI_ArgType_BUFFER);
    ret_types_.assign(shapes.size(), XLA_FFI_RetType_BUFFER);
  }

  XLA_FFI_Args args() {
    return {HLOKIT_SIZE_THROUGH(XLA_FFI_Args, args), nullptr,
            static_cast<int64_t>(buffers_.size()), arg_types_.data(),
            pointers_.data()};
  }
  XLA_FFI_Rets rets() {
    return {HLOKIT_SIZE_THROUGH(XLA_FFI_Rets, rets), nullptr,
            static_cast<int64_t>(buffers_.size()), ret_types_.data(),
            pointers_.data()};
  }

 private:
  std::vector<XLA_FFI_Buffer> buffers_;
  std::vector<void*> pointers_;
  std::vector<XLA_FFI_ArgType> arg_types_;
  std::vector<XLA_FFI_RetType> ret_types_;
};

XLA_FFI_CallFrame MakeFrame(XLA_FFI_ExecutionContext* context,
                            XLA_FFI_ExecutionStage stage, Buffers* args,
                            Buffers* rets,
                            const FfiAttributeFrame& attributes) {
  XLA_FFI_CallFrame frame = {};
  frame.struct_size = HLOKIT_SIZE_THROUGH(XLA_FFI_CallFrame, attrs);
  frame.api = &FfiApi();
  frame.ctx = context;
  frame.stage = stage;
  frame.args = args->args();
  frame.rets = rets->rets();
  frame.attrs = attributes.attrs();
  return frame;
}

absl::Status CallUntyped(const Instruction& call, void (*function)(),
                         const std::string& opaque,
                         std::vector<void*> operands,
                         std::vector<void*> results) {
  void* out = call.shape().IsTuple() ? static_cast<void*>(results.data())
                                     : results[0];
  const auto in = const_cast<const void**>(operands.data());
  XlaCustomCallStatus status;
  switch (ApiVersionOf(call)) {
    case CustomCallApiVersion::kStatusReturning:
      reinterpret_cast<HlokitStatusCustomCall*>(function)(out, in, &status);
      break;
    case CustomCallApiVersion::kStatusReturningUnified:
      reinterpret_cast<HlokitUnifiedCustomCall*>(function)(
          out, in, opaque.data(), opaque.size(), &status);
      break;
    default:
      reinterpret_cast<HlokitCustomCall*>(function)(out, in);
      break;
  }
  if (!status.failure.has_value()) return absl::OkStatus();
  return Internal("%s", *status.failure);
}

}  // namespace

absl::StatusOr<std::unique_ptr<CustomCallSite>> CustomCallSite::Create(
    const Instruction& call, const Handler* handler) {
  std::unique_ptr<CustomCallSite> site(new CustomCallSite(call, handler));
  const ShapeList* constraints = LayoutConstraints(call);
  for (int64_t k = 0; k < call.operand_count(); ++k) {
    const bool constrained = constraints != nullptr &&
                             k < static_cast<int64_t>(constraints->size());
    AppendLeaves(constrained ? (*constraints)[k] : call.operand(k)->shape(),
                 &site->operands_);
  }
  AppendLeaves(call.shape(), &site->results_);
  if (constraints == nullptr) {
    UseDescendingLayouts(&site->operands_);
    UseDescendingLayouts(&site->results_);
  }
  for (const auto* leaves : {&site->operands_, &site->results_}) {
    for (const Shape& shape : *leaves) {
      if (shape.is_dynamic()) {
        return Unimplemented("%%%s: custom-calls of libraries take no dynamic "
                             "shapes",
                             call.name());
      }
    }
  }
  site->AddAliases();
  site->opaque_ = std::string(call.backend_config());
  HLOKIT_RETURN_IF_ERROR(site->Instantiate());
  return site;
}

absl::Status CustomCallSite::Instantiate() {
  if (handler_->untyped != nullptr) return absl::OkStatus();
  const absl::string_view text = opaque_.empty()
                                     ? FrontendAttribute(
                                           call_, "mhlo.backend_config")
                                     : absl::string_view(opaque_);
  auto attributes = ParseFfiAttributes(text);
  if (!attributes.ok()) {
    return Annotate(attributes.status(), absl::StrCat("%", call_.name()));
  }
  attributes_ = std::make_unique<FfiAttributeFrame>(*std::move(attributes));
  if (handler_->typed.instantiate == nullptr) return absl::OkStatus();
  XLA_FFI_ExecutionContext context;
  context.states[XLA_FFI_ExecutionStage_INSTANTIATE] = &state_;
  Buffers none({}, {});
  XLA_FFI_CallFrame frame = MakeFrame(
      &context, XLA_FFI_ExecutionStage_INSTANTIATE, &none, &none, *attributes_);
  const absl::Status status =
      CallFfiHandler(handler_->typed.instantiate, &frame);
  if (status.ok()) return status;
  return Annotate(status,
                  absl::StrCat("custom-call target \"",
                               call_.custom_call_target(),
                               "\", instantiating %", call_.name()));
}

void CustomCallSite::AddAliases() {
  const AliasingList* list =
      call_.attrs().Get<AliasingList>(AttrId::kOutputToOperandAliasing);
  if (list == nullptr) return;
  for (const OutputOperandAlias& alias : *list) {
    if (alias.operand < 0 || alias.operand >= call_.operand_count()) continue;
    const Shape& operand = call_.operand(alias.operand)->shape();
    if (!operand.IndexIsValid(alias.operand_index) ||
        !call_.shape().IndexIsValid(alias.output_index)) {
      continue;
    }
    int64_t first = 0;
    for (int64_t k = 0; k < alias.operand; ++k) {
      first += CountLeaves(call_.operand(k)->shape());
    }
    const Alias leaves = {LeafAt(call_.shape(), alias.output_index),
                          first + LeafAt(operand, alias.operand_index)};
    const Shape& a = results_[leaves.result];
    const Shape& b = operands_[leaves.operand];
    if (a.IsArray() && ShapesCompatible(a, b) && SameOrder(a, b)) {
      aliases_.push_back(leaves);
    }
  }
}

CustomCallRun::CustomCallRun(const CustomCallSites* sites) : sites_(sites) {
  static std::atomic<int64_t> next{1};
  run_id_ = next++;
}

const CustomCallSite* CustomCallRun::Find(const Instruction& call) const {
  return sites_->Find(call);
}

absl::Status CustomCallRun::RunStage(const CustomCallSite& site,
                                     XLA_FFI_ExecutionStage stage,
                                     XLA_FFI_Handler* handler,
                                     absl::Span<void* const> operands,
                                     absl::Span<void* const> results) {
  XLA_FFI_ExecutionContext context;
  context.run_id = run_id_;
  context.pool = ThreadPool::Default();
  context.states[XLA_FFI_ExecutionStage_INSTANTIATE] =
      const_cast<FfiState*>(&site.state_);
  const auto states = states_.find(&site);
  if (states != states_.end()) {
    context.states[XLA_FFI_ExecutionStage_PREPARE] = &states->second->prepare;
    context.states[XLA_FFI_ExecutionStage_INITIALIZE] =
        &states->second->initialize;
  }
  Buffers args(site.operands_, operands), rets(site.results_, results);
  XLA_FFI_CallFrame frame =
      MakeFrame(&context, stage, &args, &rets, *site.attributes_);
  return CallFfiHandler(handler, &frame);
}

absl::Status CustomCallRun::Call(const CustomCallSite& site,
                                 absl::Span<const ArrayPlace> operands,
                                 absl::Span<const ArrayPlace> results) {
  std::vector<WantedArray> in, out;
  in.reserve(operands.size());
  out.reserve(results.size());
  std::vector<void*> in_data, out_data;
  for (size_t k = 0; k < operands.size(); ++k) {
    in.emplace_back(site.operands_[k], operands[k]);
    in.back().CopyIn();
    in_data.push_back(in.back().data());
  }
  for (size_t k = 0; k < results.size(); ++k) {
    out.emplace_back(site.results_[k], results[k]);
    out_data.push_back(out.back().data());
  }
  for (const CustomCallSite::Alias& alias : site.aliases_) {
    void*& from = in_data[alias.operand];
    void* to = out_data[alias.result];
    const Shape& shape = site.results_[alias.result];
    const int64_t bits = PackedBits(shape);
    const int64_t bytes =
        bits > 0 ? (ElementsIn(shape) * bits + 7) / 8
                 : ElementsIn(shape) * StorageBytes(shape.element_type());
    if (from != to) std::memcpy(to, from, bytes);
    from = to;
  }
  const Handler& handler = *site.handler_;
  absl::Status status =
      handler.untyped != nullptr
          ? CallUntyped(site.call_, handler.untyped, site.opaque_, in_data,
                        out_data)
          : RunStage(site, XLA_FFI_ExecutionStage_EXECUTE,
                     handler.typed.execute, in_data, out_data);
  if (!status.ok()) {
    return Annotate(status, absl::StrCat("custom-call target \"",
                                         site.call_.custom_call_target(),
                                         "\""));
  }
  for (WantedArray& array : out) array.CopyOut();
  return absl::OkStatus();
}

namespace {

void AppendPlaces(const Literal& value, std::vector<ArrayPlace>* places) {
  if (value.shape().IsTuple()) {
    for (const Literal& part : value.elements()) AppendPlaces(part, places);
    return;
  }
  places->push_back({&value.shape(), const_cast<char*>(value.untyped_data())});
}

void AppendMutablePlaces(Literal* value, std::vector<ArrayPlace>* places) {
  if (value->shape().IsTuple()) {
    for (Literal& part : value->mutable_elements()) {
      AppendMutablePlaces(&part, places);
    }
    return;
  }
  places->push_back({&value->shape(), value->shape().IsArray()
                                          ? value->mutable_untyped_data()
                                          : nullptr});
}

}  // namespace

absl::StatusOr<Literal> CustomCallRun::Call(
    const CustomCallSite& site, absl::Span<const Literal* const> operands) {
  std::vector<ArrayPlace> in, out;
  for (const Literal* operand : operands) AppendPlaces(*operand, &in);
  HLOKIT_RETURN_IF_ERROR(CheckLiteralSize(site.call().shape()));
  Literal result = Literal::Zeros(site.call().shape());
  AppendMutablePlaces(&result, &out);
  // Literals are row-major whatever their layout says.
  std::vector<Shape> shapes;
  shapes.reserve(in.size() + out.size());
  for (std::vector<ArrayPlace>* places : {&in, &out}) {
    for (ArrayPlace& place : *places) {
      shapes.push_back(*place.shape);
      shapes.back().SetDescendingLayouts(true);
      place.shape = &shapes.back();
    }
  }
  HLOKIT_RETURN_IF_ERROR(Call(site, in, out));
  return result;
}

absl::StatusOr<std::unique_ptr<CustomCallSites>> CustomCallSites::Create(
    const Module& module) {
  auto sites = std::make_unique<CustomCallSites>();
  for (const auto& computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (i->opcode() != Opcode::kCustomCall) continue;
      HLOKIT_ASSIGN_OR_RETURN(const Handler* handler,
                              CustomCallRegistry::Global().Find(*i));
      if (handler == nullptr) continue;
      HLOKIT_ASSIGN_OR_RETURN(auto site, CustomCallSite::Create(*i, handler));
      sites->by_call_[i] = site.get();
      sites->sites_.push_back(std::move(site));
    }
  }
  return sites;
}

const CustomCallSite* CustomCallSites::Find(const Instruction& call) const {
  const auto it = by_call_.find(&call);
  return it == by_call_.end() ? nullptr : it->second;
}

absl::StatusOr<std::unique_ptr<CustomCallRun>> CustomCallSites::Begin() const {
  std::unique_ptr<CustomCallRun> run(new CustomCallRun(this));
  for (const auto& site : sites_) {
    const XLA_FFI_Handler_Bundle& typed = site->handler_->typed;
    if (typed.prepare != nullptr || typed.initialize != nullptr) {
      run->states_[site.get()] = std::make_unique<CustomCallRun::States>();
    }
  }
  using Stage = XLA_FFI_ExecutionStage;
  for (const Stage stage : {XLA_FFI_ExecutionStage_PREPARE,
                            XLA_FFI_ExecutionStage_INITIALIZE}) {
    for (const auto& site : sites_) {
      const XLA_FFI_Handler_Bundle& typed = site->handler_->typed;
      XLA_FFI_Handler* handler = stage == XLA_FFI_ExecutionStage_PREPARE
                                     ? typed.prepare
                                     : typed.initialize;
      if (handler == nullptr) continue;
      const absl::Status status = run->RunStage(*site, stage, handler, {}, {});
      if (status.ok()) continue;
      return Annotate(
          status, absl::StrCat("custom-call target \"",
                               site->call().custom_call_target(), "\", %",
                               site->call().name()));
    }
  }
  return run;
}

absl::Status NoHandler(const Instruction& call) {
  const absl::string_view target = call.custom_call_target();
  constexpr absl::string_view kAdvice =
      "--custom_call_library=FILE.so runs it with your own function, "
      "--custom_call_stub=zeros|identity goes on without";
  if (absl::StrContains(target, "python") &&
      absl::StrContains(target, "callback")) {
    return NotFound(
        "%%%s: custom-call target \"%s\" calls a Python function of the "
        "process that compiled the module, which is not here; %s",
        call.name(), target, kAdvice);
  }
  if (IsTyped(call)) {
    return NotFound("%%%s: No FFI handler registered for %s on a platform Host "
                    "(canonical host); %s",
                    call.name(), target, kAdvice);
  }
  return NotFound(
      "%%%s: No registered implementation for untyped custom call to %s for "
      "Host; %s",
      call.name(), target, kAdvice);
}

}  // namespace hlokit::custom_call

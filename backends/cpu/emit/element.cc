#include "backends/cpu/emit/element.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "hlo/ir/native_types.h"

namespace hlokit::cpu {
namespace {

// Integers and pred take whole bytes.
std::string IntegerType(PrimitiveType type) {
  return absl::StrCat("i", 8 * StorageBytes(type));
}

IrValue BFloatToFloat(IrFunction& f, const IrValue& bits) {
  const IrValue wide = f.Cast("zext", bits, "i32");
  return f.Cast("bitcast", f.Op("shl", wide, f.Const("i32", 16)), "float");
}

// LLVM would take conversions around an operation away and compute in the
// narrower type. It compiles some operations of halves wrongly (maximum loses
// NaN), and a conversion between float and double that it takes away no longer
// makes zeros of denormals. So bits of the result that are zero anyway are
// masked, which it does not see through.
IrValue HalfToFloat(IrFunction& f, const IrValue& x) {
  const IrValue bits = f.Cast("bitcast", f.Cast("fpext", x, "float"), "i32");
  return f.Cast("bitcast", f.Op("and", bits, f.Const("i32", -(1 << 13))),
                "float");
}
IrValue FloatToDouble(IrFunction& f, const IrValue& x) {
  const IrValue bits = f.Cast("bitcast", f.Cast("fpext", x, "double"), "i64");
  return f.Cast("bitcast", f.Op("and", bits, f.Const("i64", -(1 << 29))),
                "double");
}

// Rounds to nearest even; NaNs keep their upper bits and stay NaNs.
IrValue FloatToBFloat(IrFunction& f, const IrValue& x) {
  const IrValue bits = f.Cast("bitcast", x, "i32");
  const IrValue sixteen = f.Const("i32", 16);
  const IrValue upper = f.Op("lshr", bits, sixteen);
  const IrValue odd = f.Op("and", upper, f.Const("i32", 1));
  const IrValue half = f.Op("add", odd, f.Const("i32", 0x7fff));
  const IrValue rounded = f.Op("lshr", f.Op("add", bits, half), sixteen);
  const IrValue nan = f.Op("or", upper, f.Const("i32", 0x40));
  return f.Cast("trunc", f.Select(f.CompareFloat("uno", x, x), nan, rounded),
                "i16");
}

std::string Conversion(absl::string_view from, absl::string_view to) {
  return absl::StrCat("hlokit_", from, "_to_", to);
}

IrValue IntegerToFloat(IrFunction& f, const Element& x,
                       absl::string_view type) {
  return f.Cast(IsSignedIntType(x.type) ? "sitofp" : "uitofp", x.value, type);
}

// Truncates, saturates, NaN gives 0.
Element FloatToInteger(IrFunction& f, const Element& x, PrimitiveType type) {
  const absl::string_view name =
      IsSignedIntType(type) ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
  const int bits = BitWidth(type);
  const IrValue value = f.Intrinsic(name, absl::StrCat("i", bits), {x.value});
  return {type, f.Cast(IsSignedIntType(type) ? "sext" : "zext", value,
                       IntegerType(type))};
}

Element IntegerToInteger(IrFunction& f, const Element& x, PrimitiveType type) {
  const std::string to = IntegerType(type);
  const bool narrower = StorageBytes(type) < StorageBytes(x.type);
  const bool is_signed = IsSignedIntType(x.type);
  const absl::string_view op = narrower && x.type != kPred ? "trunc"
                               : is_signed                 ? "sext"
                                                           : "zext";
  return Wrap(f, {type, f.Cast(op, x.value, to)});
}

Element ToPred(IrFunction& f, const Element& x) {
  if (x.type == kBF16) {
    const IrValue magnitude = f.Op("and", x.value, f.Const("i16", 0x7fff));
    return {kPred, f.Compare("ne", magnitude, f.Const("i16", 0))};
  }
  if (IsComplexType(x.type) || IsFloatType(x.type)) {
    const Element wide = Widen(f, x);
    const IrValue zero = f.FloatConst(wide.value.type, 0);
    IrValue set = f.CompareFloat("une", wide.value, zero);
    if (IsComplexType(x.type)) {
      set = f.Op("or", set, f.CompareFloat("une", wide.imag, zero));
    }
    return {kPred, set};
  }
  return {kPred, f.Compare("ne", x.value, f.Const(x.value.type, 0))};
}

// From any real type to f32 or f64 without loss beyond that type's.
IrValue ToWideFloat(IrFunction& f, const Element& x, absl::string_view type) {
  if (!IsFloatType(x.type)) return IntegerToFloat(f, x, type);
  const Element wide = Widen(f, x);
  if (wide.value.type == type) return wide.value;
  return type == "double" ? FloatToDouble(f, wide.value)
                          : f.Cast("fptrunc", wide.value, type);
}

}  // namespace

std::string RegisterType(PrimitiveType type) {
  switch (type) {
    case kPred:
      return "i1";
    case kF16:
      return "half";
    case kF32:
    case kC64:
      return "float";
    case kF64:
    case kC128:
      return "double";
    default:
      return IntegerType(type);
  }
}

std::string MemoryType(PrimitiveType type) {
  return type == kPred ? "i8" : RegisterType(type);
}

Element LoadElement(IrFunction& f, PrimitiveType type, const IrValue& pointer,
                    const IrValue& index, absl::string_view marks) {
  const std::string memory = MemoryType(type);
  if (IsComplexType(type)) {
    const IrValue real = f.Mul(index, f.Const(2));
    const IrValue at = f.Gep(memory, pointer, real);
    return {type, f.Load(memory, at, marks),
            f.Load(memory, f.Gep(memory, at, f.Const(1)), marks)};
  }
  IrValue value = f.Load(memory, f.Gep(memory, pointer, index), marks);
  if (type == kPred) value = f.Cast("trunc", value, "i1");
  return {type, std::move(value)};
}

void StoreElement(IrFunction& f, const Element& element, const IrValue& pointer,
                  const IrValue& index, absl::string_view marks) {
  const std::string memory = MemoryType(element.type);
  if (IsComplexType(element.type)) {
    const IrValue at = f.Gep(memory, pointer, f.Mul(index, f.Const(2)));
    f.Store(element.value, at, marks);
    f.Store(element.imag, f.Gep(memory, at, f.Const(1)), marks);
    return;
  }
  f.Store(element.type == kPred ? f.Cast("zext", element.value, "i8")
                                : element.value,
          f.Gep(memory, pointer, index), marks);
}

Element ElementConstant(IrFunction& f, const Literal& literal, int64_t linear) {
  const PrimitiveType type = literal.element_type();
  const std::string reg = RegisterType(type);
  if (type == kC64) {
    const std::complex<float> z = literal.data<std::complex<float>>()[linear];
    return {type, f.FloatConst(reg, z.real()), f.FloatConst(reg, z.imag())};
  }
  if (type == kC128) {
    const std::complex<double> z = literal.data<std::complex<double>>()[linear];
    return {type, f.FloatConst(reg, z.real()), f.FloatConst(reg, z.imag())};
  }
  if (type == kF16 || type == kF32 || type == kF64) {
    return {type, f.FloatConst(reg, literal.GetAsDouble(linear))};
  }
  if (IsFloatType(type)) {
    const char* data = literal.untyped_data() + linear * StorageBytes(type);
    uint16_t bits = static_cast<uint8_t>(data[0]);
    if (StorageBytes(type) == 2) bits |= static_cast<uint8_t>(data[1]) << 8;
    return {type, f.Const(reg, bits)};
  }
  return {type, f.Const(reg, literal.GetAsInt64(linear))};
}

Element NumberConstant(IrFunction& f, PrimitiveType type, double value) {
  Element element = ElementConstant(
      f,
      Literal::ScalarOf(IsComplexType(type) ? ComponentType(type) : type,
                        value),
      0);
  if (IsComplexType(type)) {
    element.imag = f.FloatConst(element.value.type, 0);
    element.type = type;
  }
  return element;
}

bool ComputesInFloat(PrimitiveType type) {
  return IsFloatType(type) && type != kF32 && type != kF64;
}

Element Widen(IrFunction& f, const Element& x) {
  if (!ComputesInFloat(x.type)) return x;
  if (x.type == kF16) return {kF32, HalfToFloat(f, x.value)};
  if (x.type == kBF16) return {kF32, BFloatToFloat(f, x.value)};
  return {kF32, f.Call(Conversion(PrimitiveTypeName(x.type), "f32"), "float",
                       {x.value})};
}

Element Narrow(IrFunction& f, const Element& x, PrimitiveType type) {
  if (x.type == type) return x;
  if (type == kF16) return {type, f.Cast("fptrunc", x.value, "half")};
  if (type == kBF16 && x.type == kF32) return {type, FloatToBFloat(f, x.value)};
  if (type == kBF16) {
    return {type, FloatToBFloat(f, f.Cast("fptrunc", x.value, "float"))};
  }
  return {type,
          f.Call(Conversion(PrimitiveTypeName(x.type), PrimitiveTypeName(type)),
                 "i8", {x.value})};
}

Element Wrap(IrFunction& f, Element x) {
  const int bits = BitWidth(x.type);
  if (bits >= 8) return x;
  const IrValue unused = f.Const("i8", 8 - bits);
  x.value = f.Op(IsSignedIntType(x.type) ? "ashr" : "lshr",
                 f.Op("shl", x.value, unused), unused);
  return x;
}

Element ConvertElementTo(IrFunction& f, const Element& x, PrimitiveType type) {
  if (x.type == type) return x;
  if (type == kPred) return ToPred(f, x);
  if (IsComplexType(x.type) && !IsComplexType(type)) {
    return ConvertElementTo(f, {ComponentType(x.type), x.value}, type);
  }
  if (IsComplexType(type)) {
    const PrimitiveType part = ComponentType(type);
    const bool complex = IsComplexType(x.type);
    const PrimitiveType from = complex ? ComponentType(x.type) : x.type;
    return {type, ConvertElementTo(f, {from, x.value}, part).value,
            complex ? ConvertElementTo(f, {from, x.imag}, part).value
                    : f.FloatConst(RegisterType(part), 0)};
  }
  if (IsFloatType(type)) {
    if (type == kF32 || type == kF64) {
      return {type, ToWideFloat(f, x, RegisterType(type))};
    }
    const PrimitiveType through =
        x.type == kF64 || BitWidth(x.type) == 64 ? kF64 : kF32;
    return Narrow(f, {through, ToWideFloat(f, x, RegisterType(through))}, type);
  }
  if (IsFloatType(x.type)) return FloatToInteger(f, Widen(f, x), type);
  return IntegerToInteger(f, x, type);
}

}  // namespace hlokit::cpu

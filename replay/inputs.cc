#include "replay/inputs.h"

#include <algorithm>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"

namespace hlokit {
namespace {

// One array inside the parameters or the result.
struct Leaf {
  Shape shape;
  std::string name;   // "params.0.1"; empty for results
  std::string place;  // "parameter 0 (params), part {0,1}"
};

std::vector<Leaf> LeavesOf(const Shape& shape, absl::string_view name,
                           absl::string_view place) {
  std::vector<Leaf> leaves;
  ForEachLeaf(shape, [&](const Shape& leaf, const ShapeIndex& index) {
    if (leaf.IsToken()) return;
    Leaf entry{leaf, std::string(name), std::string(place)};
    for (int64_t i : index) absl::StrAppend(&entry.name, ".", i);
    if (!index.empty()) {
      absl::StrAppend(&entry.place, ", part ", ShapeIndexToString(index));
    }
    leaves.push_back(std::move(entry));
  });
  return leaves;
}

std::vector<Leaf> ParameterLeaves(const Module& module) {
  std::vector<Leaf> leaves;
  const std::vector<Shape> shapes = ParameterShapes(module);
  for (size_t i = 0; i < shapes.size(); ++i) {
    const absl::string_view name = module.entry()->parameter(i)->name();
    for (Leaf& leaf : LeavesOf(shapes[i], name,
                               absl::StrCat("parameter ", i, " (", name,
                                            ")"))) {
      leaves.push_back(std::move(leaf));
    }
  }
  return leaves;
}

// Puts arrays together to a value of `shape`; `next` is the first to use.
Literal Assemble(const Shape& shape, std::vector<Literal>* arrays,
                 size_t* next) {
  if (shape.IsToken()) return Literal::Token();
  if (!shape.IsTuple()) return std::move((*arrays)[(*next)++]);
  std::vector<Literal> elements;
  for (const Shape& element : shape.tuple_shapes()) {
    elements.push_back(Assemble(element, arrays, next));
  }
  return Literal::Tuple(std::move(elements));
}

std::vector<Literal> AssembleParameters(const Module& module,
                                        std::vector<Literal> arrays) {
  std::vector<Literal> arguments;
  size_t next = 0;
  for (const Shape& shape : ParameterShapes(module)) {
    arguments.push_back(Assemble(shape, &arrays, &next));
  }
  return arguments;
}

void FlattenInto(const Literal& literal, std::vector<Literal>* arrays) {
  if (literal.shape().IsTuple()) {
    for (const Literal& element : literal.elements()) {
      FlattenInto(element, arrays);
    }
  } else if (!literal.shape().IsToken()) {
    arrays->push_back(literal);
  }
}

std::vector<Literal> Flatten(absl::Span<const Literal> literals) {
  std::vector<Literal> arrays;
  for (const Literal& literal : literals) FlattenInto(literal, &arrays);
  return arrays;
}

// Whether `dimensions` are possible sizes of a shape with dynamic dimensions.
bool IsLivePart(absl::Span<const int64_t> dimensions, const Shape& shape) {
  if (!shape.is_dynamic() ||
      static_cast<int64_t>(dimensions.size()) != shape.rank()) {
    return false;
  }
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const bool fits = shape.is_dynamic_dimension(d)
                          ? dimensions[d] <= shape.dimension(d)
                          : dimensions[d] == shape.dimension(d);
    if (!fits) return false;
  }
  return true;
}

// Copies the elements that `small` and `large` have in common by index; both
// have the same rank and element width, `small` is nowhere larger.
void CopyRegion(const Shape& small, const Shape& large, bool to_large,
                const char* from, char* to) {
  const int64_t width = StorageBytes(small.element_type());
  const int64_t rank = small.rank();
  ForEachInLayoutOrder(
      Shape::Array(small.element_type(), small.dimensions()),
      [&](int64_t linear, absl::Span<const int64_t> index) {
        int64_t other = 0;
        for (int64_t d = 0; d < rank; ++d) {
          other = other * large.dimension(d) + index[d];
        }
        const int64_t source = to_large ? linear : other;
        const int64_t target = to_large ? other : linear;
        std::copy_n(from + source * width, width, to + target * width);
      });
}

// The live part of an array with dynamic sizes.
Literal LivePart(const Literal& literal) {
  if (literal.dynamic_sizes().empty()) return literal;
  DimensionVector sizes;
  for (int64_t d = 0; d < literal.shape().rank(); ++d) {
    sizes.push_back(literal.dynamic_size(d));
  }
  Literal part = Literal::Zeros(
      Shape::ArrayWithDescendingLayout(literal.element_type(), sizes));
  CopyRegion(part.shape(), literal.shape(), /*to_large=*/false,
             literal.untyped_data(), part.mutable_untyped_data());
  return part;
}

// An array from a file as a value of `shape`.
absl::StatusOr<Literal> ArrayFor(const NpyArray& array, const Shape& shape) {
  if (!IsLivePart(array.dimensions, shape)) return NpyToLiteral(array, shape);
  HLOKIT_ASSIGN_OR_RETURN(
      const Literal part,
      NpyToLiteral(array, Shape::ArrayWithDescendingLayout(
                              shape.element_type(), array.dimensions)));
  HLOKIT_RETURN_IF_ERROR(CheckLiteralSize(shape));
  Literal literal = Literal::Zeros(shape);
  CopyRegion(part.shape(), shape, /*to_large=*/true, part.untyped_data(),
             literal.mutable_untyped_data());
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.is_dynamic_dimension(d)) {
      literal.set_dynamic_size(d, array.dimensions[d]);
    }
  }
  return literal;
}

absl::StatusOr<Literal> ArrayFor(absl::string_view bytes, const Leaf& leaf) {
  absl::StatusOr<NpyArray> array = ParseNpy(bytes);
  if (!array.ok()) return Annotate(array.status(), leaf.place);
  absl::StatusOr<Literal> literal = ArrayFor(*array, leaf.shape);
  if (!literal.ok()) return Annotate(literal.status(), leaf.place);
  return literal;
}

// The member for each leaf, by the first naming under which all are there.
absl::StatusOr<std::vector<const std::string*>> ChooseMembers(
    const NpzMembers& members, absl::Span<const Leaf> leaves,
    absl::string_view prefix) {
  using NameOf = absl::FunctionRef<std::string(size_t)>;
  auto by_name = [&](NameOf name_of, std::vector<const std::string*>* found) {
    found->clear();
    for (size_t i = 0; i < leaves.size(); ++i) {
      const std::string wanted = name_of(i);
      const auto it =
          std::find_if(members.begin(), members.end(),
                       [&](const auto& m) { return m.first == wanted; });
      if (wanted.empty() || it == members.end()) return false;
      found->push_back(&it->second);
    }
    return true;
  };
  std::vector<const std::string*> found;
  if (by_name([&](size_t i) { return absl::StrCat(prefix, i); }, &found) ||
      by_name([&](size_t i) { return absl::StrCat("arr_", i); }, &found) ||
      by_name([&](size_t i) { return leaves[i].name; }, &found)) {
    return found;
  }
  if (members.size() == leaves.size()) {
    found.clear();
    for (const auto& member : members) found.push_back(&member.second);
    return found;
  }
  std::vector<std::string> names;
  for (const auto& member : members) names.push_back(member.first);
  if (names.size() > 20) {
    names.resize(20);
    names.push_back("...");
  }
  return InvalidArgument(
      "%d arrays are wanted (%s0, %s1, ..., or arr_0, ...), the file has %d "
      "members: %s",
      leaves.size(), prefix, prefix, members.size(),
      absl::StrJoin(names, ", "));
}

absl::StatusOr<std::vector<Literal>> ArraysFromNpz(
    absl::string_view bytes, absl::Span<const Leaf> leaves,
    absl::string_view prefix) {
  HLOKIT_ASSIGN_OR_RETURN(const NpzMembers members, ReadNpz(bytes));
  HLOKIT_ASSIGN_OR_RETURN(const std::vector<const std::string*> chosen,
                          ChooseMembers(members, leaves, prefix));
  std::vector<Literal> arrays;
  for (size_t i = 0; i < leaves.size(); ++i) {
    HLOKIT_ASSIGN_OR_RETURN(Literal array, ArrayFor(*chosen[i], leaves[i]));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

absl::Status CheckArgument(const Literal& given, const Shape& wanted,
                           size_t number, absl::string_view what) {
  if (ShapesCompatible(given.shape(), wanted)) return absl::OkStatus();
  if (given.shape().IsArray() && wanted.IsArray() &&
      given.element_type() == wanted.element_type() &&
      IsLivePart(given.shape().dimensions(), wanted)) {
    return absl::OkStatus();
  }
  return InvalidArgument("%s: argument %d is %s, the module wants %s", what,
                         number, given.shape().ToString(false),
                         wanted.ToString(false));
}

}  // namespace

std::vector<Shape> ParameterShapes(const Module& module) {
  std::vector<Shape> shapes;
  const auto parameters = module.entry()->parameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    Shape shape = parameters[i]->shape();
    if (module.entry_layout.has_value() &&
        i < module.entry_layout->parameters.size() &&
        module.entry_layout->parameters[i].is_static()) {
      shape = module.entry_layout->parameters[i];
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

absl::StatusOr<std::vector<Literal>> FitArguments(const Module& module,
                                                  std::vector<Literal> given,
                                                  absl::string_view what) {
  const std::vector<Shape> wanted = ParameterShapes(module);
  if (given.size() != wanted.size()) {
    // Flat where the module has tuples.
    const std::vector<Leaf> leaves = ParameterLeaves(module);
    bool fits = leaves.size() == given.size() && !wanted.empty();
    for (size_t i = 0; fits && i < leaves.size(); ++i) {
      fits = ShapesCompatible(given[i].shape(), leaves[i].shape);
    }
    if (fits) return AssembleParameters(module, std::move(given));
    return InvalidArgument("%s has %d arguments, the module wants %d", what,
                           given.size(), wanted.size());
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    HLOKIT_RETURN_IF_ERROR(CheckArgument(given[i], wanted[i], i, what));
  }
  return given;
}

absl::StatusOr<Literal> FitResult(const Shape& wanted,
                                  const Literal& recorded) {
  if (ShapesCompatible(wanted, recorded.shape())) return recorded;
  const std::vector<Leaf> leaves = LeavesOf(wanted, "", "the result");
  std::vector<Literal> arrays = Flatten(absl::MakeConstSpan(&recorded, 1));
  bool fits = leaves.size() == arrays.size();
  for (size_t i = 0; fits && i < leaves.size(); ++i) {
    fits = ShapesCompatible(arrays[i].shape(), leaves[i].shape);
  }
  if (!fits) {
    return InvalidArgument("the recorded result is %s, the module gives %s",
                           recorded.shape().ToString(false),
                           wanted.ToString(false));
  }
  size_t next = 0;
  return Assemble(wanted, &arrays, &next);
}

absl::StatusOr<std::vector<Literal>> ArgumentsFromNpz(const Module& module,
                                                      absl::string_view bytes) {
  HLOKIT_ASSIGN_OR_RETURN(
      std::vector<Literal> arrays,
      ArraysFromNpz(bytes, ParameterLeaves(module), "a"));
  return AssembleParameters(module, std::move(arrays));
}

absl::StatusOr<std::vector<Literal>> ArgumentsFromNpy(
    const Module& module, absl::Span<const std::string> files) {
  const std::vector<Leaf> leaves = ParameterLeaves(module);
  if (files.size() != leaves.size()) {
    return InvalidArgument("%d files are given, the module wants %d arrays",
                           files.size(), leaves.size());
  }
  std::vector<Literal> arrays;
  for (size_t i = 0; i < leaves.size(); ++i) {
    HLOKIT_ASSIGN_OR_RETURN(Literal array, ArrayFor(files[i], leaves[i]));
    arrays.push_back(std::move(array));
  }
  return AssembleParameters(module, std::move(arrays));
}

absl::StatusOr<Literal> ResultFromNpz(const Shape& wanted,
                                      absl::string_view bytes) {
  HLOKIT_ASSIGN_OR_RETURN(
      std::vector<Literal> arrays,
      ArraysFromNpz(bytes, LeavesOf(wanted, "", "the result"), "r"));
  size_t next = 0;
  return Assemble(wanted, &arrays, &next);
}

absl::StatusOr<Literal> ResultFromNpy(const Shape& wanted,
                                      absl::string_view bytes) {
  const std::vector<Leaf> leaves = LeavesOf(wanted, "", "the result");
  if (leaves.size() != 1) {
    return InvalidArgument("one array is given, the result has %d (a .npz file "
                           "holds several)",
                           leaves.size());
  }
  HLOKIT_ASSIGN_OR_RETURN(Literal array, ArrayFor(bytes, leaves[0]));
  std::vector<Literal> arrays = {std::move(array)};
  size_t next = 0;
  return Assemble(wanted, &arrays, &next);
}

absl::StatusOr<std::string> LiteralsToNpz(absl::Span<const Literal> literals,
                                          absl::string_view prefix) {
  NpzMembers members;
  for (const Literal& array : Flatten(literals)) {
    HLOKIT_ASSIGN_OR_RETURN(std::string bytes, LiteralToNpy(LivePart(array)));
    members.emplace_back(absl::StrCat(prefix, members.size()),
                         std::move(bytes));
  }
  return WriteNpz(members);
}

absl::StatusOr<std::string> ResultToNpy(const Literal& result) {
  const std::vector<Literal> arrays = Flatten(absl::MakeConstSpan(&result, 1));
  if (arrays.size() != 1) {
    return InvalidArgument("the result has %d arrays; a .npy file holds one, "
                           "--outputs=FILE.npz all",
                           arrays.size());
  }
  return LiteralToNpy(LivePart(arrays[0]));
}

}  // namespace hlokit

// Attributes of instructions: ids, kinds, and the values they hold.
//
// The table is attributes.def. An instruction stores only the attributes that
// it has, in an AttributeSet; computations, control predecessors and metadata
// have places of their own in Instruction.
//
// What is stored, so that a module read from text equals the same module read
// from a proto (the text printer and the proto writer fill in the rest):
//  * empty lists, empty strings, empty maps, empty windows and empty replica
//    groups: not stored;
//  * flags: only when true; but Largest and IsStable of topk, HasDynamicRoot of
//    collective-broadcast always;
//  * FeatureGroupCount, BatchGroupCount only when not 1; InferredDimension only
//    when not -1; ChannelId only when above 0; ConvolutionKind, PaddingType,
//    CustomCallSchedule, TransposeA, DotAlgorithm and IsAssociative only when
//    not 0; CustomCallApiVersion only when not 1 (original); ComparisonType
//    only when not the default of operand 0's element type; OperandPrecision
//    only when an entry is not 0 (default); ResultAccuracy only when not the
//    default mode; SparsityConfig only when a side is given;
//  * OutfeedShape, FusionKind, Distribution, RngAlgorithm, ComparisonDirection
//    and all attributes marked `!` always;
//  * AsyncExecutionThread only on async-start and only when not "main". The
//    computation an async-start wraps is its called computation; async-update
//    and async-done store neither (Instruction::AsyncStart finds the start).
#ifndef HLOKIT_HLO_IR_ATTRIBUTE_H_
#define HLOKIT_HLO_IR_ATTRIBUTE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/op_attributes.h"
#include "hlo/ir/shape.h"

namespace hlokit {

class Literal;
class Sharding;
class ReplicaGroups;

// How a value is stored, parsed, printed and written. The C++ type that holds
// it is in the comment.
enum class AttrKind : uint8_t {
  kBool,               // bool
  kInt64,              // int64_t
  kFloat,              // double (printed with 6 digits)
  kEnum,               // int64_t, words in enums.def
  kTriState,           // int64_t, TriState: text true/false
  kString,             // std::string, quoted and C-escaped in text
  kInt64List,          // Int64List
  kEnumList,           // Int64List of enum numbers
  kBoolList,           // Int64List of 0/1
  kInt64ListList,      // shared Int64ListList
  kPairList,           // shared PairList
  kWindow,             // shared Window
  kDimLabels,          // shared ConvolutionDims
  kSparsityConfig,     // shared SparsityConfig
  kSliceRanges,        // shared SliceRanges
  kPadding,            // shared PaddingConfig
  kReplicaGroups,      // shared ReplicaGroups
  kShapeList,          // shared ShapeList
  kShape,              // Shape
  kLiteral,            // shared Literal
  kAliasing,           // shared AliasingList
  kDomain,             // shared DomainShardings
  kSharding,           // shared Sharding
  kFrontendAttributes, // shared FrontendAttributes
  kStatistics,         // shared Statistics
  kResultAccuracy,     // shared ResultAccuracy
  kOriginalValue,      // shared OriginalValue
  kBackendConfig,      // std::string (raw bytes)
  // Not stored in AttributeSet:
  kComputation,
  kComputationList,
  kInstructionList,
  kMetadata,
};

enum class AttrId : uint8_t {
#define HLO_ATTRIBUTE(id, text, kind) k##id,
#include "hlo/ir/attributes.def"
};

inline constexpr int kAttributeCount = 0
#define HLO_ATTRIBUTE(id, text, kind) +1
#include "hlo/ir/attributes.def"
    ;

struct AttributeInfo {
  AttrId id;
  absl::string_view name;  // in text
  AttrKind kind;
};

const AttributeInfo& InfoOf(AttrId id);
absl::Span<const AttributeInfo> AllAttributes();
inline absl::string_view AttributeName(AttrId id) { return InfoOf(id).name; }

// The word of value `number` of an enum attribute; empty if there is none.
absl::string_view EnumWord(AttrId id, int64_t number);
// The value of a word; text that upstream reads in any case is matched so.
std::optional<int64_t> EnumByWord(AttrId id, absl::string_view word);
std::vector<absl::string_view> EnumWords(AttrId id);
// Whether words of this attribute are matched in any case.
bool EnumIgnoresCase(AttrId id);

template <typename T>
using Shared = std::shared_ptr<const T>;

using AttrValue =
    std::variant<bool, int64_t, double, std::string, Int64List, Shape,
                 Shared<Int64ListList>, Shared<PairList>, Shared<Window>,
                 Shared<ConvolutionDims>, Shared<SparsityConfig>,
                 Shared<SliceRanges>, Shared<PaddingConfig>,
                 Shared<ReplicaGroups>, Shared<ShapeList>, Shared<Literal>,
                 Shared<AliasingList>, Shared<DomainShardings>,
                 Shared<Sharding>, Shared<FrontendAttributes>,
                 Shared<Statistics>, Shared<ResultAccuracy>,
                 Shared<OriginalValue>>;

// The attributes one instruction has. Small: most instructions have none to
// three.
class AttributeSet {
 public:
  struct Entry {
    AttrId id;
    AttrValue value;
  };

  bool Has(AttrId id) const { return Find(id) != nullptr; }
  const AttrValue* Find(AttrId id) const {
    for (const Entry& e : entries_) {
      if (e.id == id) return &e.value;
    }
    return nullptr;
  }
  AttrValue* Find(AttrId id) {
    return const_cast<AttrValue*>(
        static_cast<const AttributeSet*>(this)->Find(id));
  }
  void Set(AttrId id, AttrValue value);
  void Erase(AttrId id);
  bool empty() const { return entries_.empty(); }
  absl::Span<const Entry> entries() const { return entries_; }

  // A stored value by type, null if the attribute is absent. T is the type in
  // AttrKind's comment without "shared".
  template <typename T>
  const T* Get(AttrId id) const {
    const AttrValue* value = Find(id);
    if (value == nullptr) return nullptr;
    if constexpr (IsDirect<T>()) {
      return std::get_if<T>(value);
    } else {
      const Shared<T>* shared = std::get_if<Shared<T>>(value);
      return shared == nullptr ? nullptr : shared->get();
    }
  }
  bool GetBool(AttrId id, bool otherwise = false) const {
    const bool* v = Get<bool>(id);
    return v == nullptr ? otherwise : *v;
  }
  int64_t GetInt(AttrId id, int64_t otherwise = 0) const {
    const int64_t* v = Get<int64_t>(id);
    return v == nullptr ? otherwise : *v;
  }
  double GetDouble(AttrId id, double otherwise = 0) const {
    const double* v = Get<double>(id);
    return v == nullptr ? otherwise : *v;
  }
  absl::Span<const int64_t> GetList(AttrId id) const {
    const Int64List* v = Get<Int64List>(id);
    return v == nullptr ? absl::Span<const int64_t>() : absl::MakeConstSpan(*v);
  }
  absl::string_view GetString(AttrId id) const {
    const std::string* v = Get<std::string>(id);
    return v == nullptr ? absl::string_view() : absl::string_view(*v);
  }
  template <typename T>
  void SetShared(AttrId id, T value) {
    Set(id, std::make_shared<const T>(std::move(value)));
  }

  // Same attributes with equal values (values behind shared pointers compared
  // by content).
  bool operator==(const AttributeSet& other) const;

 private:
  template <typename T>
  static constexpr bool IsDirect() {
    return std::is_same_v<T, bool> || std::is_same_v<T, int64_t> ||
           std::is_same_v<T, double> || std::is_same_v<T, std::string> ||
           std::is_same_v<T, Int64List> || std::is_same_v<T, Shape>;
  }
  absl::InlinedVector<Entry, 1> entries_;
};

bool AttrValuesEqual(const AttrValue& a, const AttrValue& b);

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_ATTRIBUTE_H_

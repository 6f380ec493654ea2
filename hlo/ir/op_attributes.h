// The structures that attributes hold: windows, paddings, convolution
// dimensions, ... Plain values with equality; the field names are those of the
// proto messages.
#ifndef HLOKIT_HLO_IR_OP_ATTRIBUTES_H_
#define HLOKIT_HLO_IR_OP_ATTRIBUTES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hlo/ir/shape.h"

namespace hlokit {

class Sharding;
class TextSink;

using Int64List = std::vector<int64_t>;
using Int64ListList = std::vector<Int64List>;
using PairList = std::vector<std::pair<int64_t, int64_t>>;
using ShapeList = std::vector<Shape>;
// Sorted by key in byte order, as it prints.
using FrontendAttributes = std::map<std::string, std::string>;

struct WindowDimension {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t padding_low = 0;
  int64_t padding_high = 0;
  int64_t window_dilation = 1;  // text: rhs_dilate
  int64_t base_dilation = 1;    // text: lhs_dilate
  bool window_reversal = false;
  bool operator==(const WindowDimension&) const = default;
};

struct Window {
  std::vector<WindowDimension> dimensions;
  bool operator==(const Window&) const = default;
};

struct ConvolutionDims {
  int64_t input_batch_dimension = 0;
  int64_t input_feature_dimension = 0;
  Int64List input_spatial_dimensions;
  int64_t kernel_input_feature_dimension = 0;
  int64_t kernel_output_feature_dimension = 0;
  Int64List kernel_spatial_dimensions;
  int64_t output_batch_dimension = 0;
  int64_t output_feature_dimension = 0;
  Int64List output_spatial_dimensions;
  bool operator==(const ConvolutionDims&) const = default;
};

struct TensorSparsity {
  int64_t num_non_zero = 0;
  int64_t block_size = 0;
  int64_t dimension = 0;
  int64_t stride = 0;
  bool operator==(const TensorSparsity&) const = default;
};
struct SparsityConfig {
  bool has_lhs = false;
  bool has_rhs = false;
  TensorSparsity lhs;
  TensorSparsity rhs;
  bool operator==(const SparsityConfig&) const = default;
};

struct SliceRange {
  int64_t start = 0;
  int64_t limit = 0;
  int64_t stride = 1;
  bool operator==(const SliceRange&) const = default;
};
using SliceRanges = std::vector<SliceRange>;

struct PaddingDimension {
  int64_t low = 0;
  int64_t high = 0;
  int64_t interior = 0;
  bool operator==(const PaddingDimension&) const = default;
};
struct PaddingConfig {
  std::vector<PaddingDimension> dimensions;
  bool operator==(const PaddingConfig&) const = default;
};

// Result part `output_index` is operand `operand`'s part `operand_index`.
struct OutputOperandAlias {
  ShapeIndex output_index;
  int64_t operand = 0;
  ShapeIndex operand_index;
  bool operator==(const OutputOperandAlias&) const = default;
};
using AliasingList = std::vector<OutputOperandAlias>;

// Text `entry=` and `exit=`. (The proto's field names are crossed: entry is
// stored in domain_exit_sharding.)
struct DomainShardings {
  std::shared_ptr<const Sharding> entry;
  std::shared_ptr<const Sharding> exit;
  bool operator==(const DomainShardings& other) const;
};

struct Statistics {
  int64_t visualizing_index = 0;
  std::vector<std::pair<std::string, double>> values;
  bool operator==(const Statistics&) const = default;
};

struct ResultAccuracy {
  bool has_tolerance = false;
  int64_t mode = 0;  // 0 default, 1 highest; without tolerance
  double atol = 0;
  double rtol = 0;
  int64_t ulps = 0;
  bool operator==(const ResultAccuracy&) const = default;
};

// An array of the program before optimisation.
struct OriginalArray {
  std::string instruction_name;
  ShapeIndex shape_index;
  bool operator==(const OriginalArray&) const = default;
};

// Which original arrays an instruction's leaves hold: one entry for each leaf
// of its shape in depth-first order, absent where unknown ("{}" in text).
struct OriginalValue {
  struct Leaf {
    ShapeIndex index;
    bool present = false;
    OriginalArray array;
    bool operator==(const Leaf&) const = default;
  };
  bool is_synthetic_call = false;
  // Leaves in depth-first order. Empty tuples have no leaf; the tree's form is
  // that of `tree`.
  std::vector<Leaf> leaves;
  // The tuple structure with opaque leaves; the instruction's shape usually.
  Shape tree;
  // Makes the tree from the indices of the leaves, as XLA has it: what has no
  // leaf behind the last one is not there, what has none before it is an empty
  // tuple. False, and the tree stays, if the leaves are in no order, nested too
  // deeply or with great gaps.
  bool MakeTree();
  bool operator==(const OriginalValue& other) const {
    return is_synthetic_call == other.is_synthetic_call &&
           leaves == other.leaves;
  }
};

// Where an instruction comes from. Large modules have a different one for
// nearly every instruction, so what few of them have lies apart.
struct OpMetadata {
  std::string op_type;
  std::string op_name;
  std::string source_file;
  int32_t source_line = 0;
  int32_t source_end_line = 0;
  int32_t source_column = 0;
  int32_t source_end_column = 0;
  int32_t stack_frame_id = 0;

  struct Rare {
    std::vector<int64_t> profile_type;
    std::string deduplicated_name;
    std::string scheduling_name;
    std::string metadata_payload;
    bool has_metadata_payload = false;
    // Fields that text does not carry (sizes, profile_info), as the bytes of a
    // partial xla.OpMetadata.
    std::string unprinted;
    // Items that this version does not know, as text gives them: "a=1 b={2}".
    std::string unknown_items;
    bool operator==(const Rare&) const = default;
  };
  bool has_rare() const { return rare_ != nullptr; }
  // Empty when there is none.
  const Rare& rare() const;
  Rare& mutable_rare();

  bool operator==(const OpMetadata& other) const;

 private:
  std::shared_ptr<const Rare> rare_;  // shared by copies
};

// The items between the braces of `metadata={...}`, blank separated.
void AppendOpMetadata(const OpMetadata& metadata, TextSink* out);
void AppendOpMetadata(const OpMetadata& metadata, std::string* out);

}  // namespace hlokit

#endif  // HLOKIT_HLO_IR_OP_ATTRIBUTES_H_

// convolution-group-converter: convolutions of groups as whole ones.
//
// Batch groups become feature groups: each group of the batch is a group of
// input features of a smaller batch. Feature groups become one group by a
// kernel that has zeros where input and output features are of different
// groups; only those of integers, for an infinity times zero is NaN.
#ifndef HLOKIT_PASSES_EXPAND_CONVOLUTION_GROUP_CONVERTER_H_
#define HLOKIT_PASSES_EXPAND_CONVOLUTION_GROUP_CONVERTER_H_

#include "passes/expand/op_expander.h"

namespace hlokit {

class ConvolutionGroupConverter : public OpExpander {
 public:
  enum Kind { kBoth, kBatchGroups, kFeatureGroups };
  explicit ConvolutionGroupConverter(Kind kind = kBoth) : kind_(kind) {}
  absl::string_view name() const override {
    return "convolution-group-converter";
  }

 protected:
  bool Matches(const Instruction& i) const override;
  absl::StatusOr<Instruction*> Expand(Instruction* i, Emitter& e) override;

 private:
  Kind kind_;
};

}  // namespace hlokit

#endif  // HLOKIT_PASSES_EXPAND_CONVOLUTION_GROUP_CONVERTER_H_

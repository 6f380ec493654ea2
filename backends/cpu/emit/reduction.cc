// Reductions, with what their arrays are computed from and what becomes of
// their results in the same fusion.
//
// Loops follow the array's layout. Where its fastest dimension is reduced, each
// result has its own accumulator (a register), and the loop over the fastest
// dimension is the innermost. Where it is kept, the accumulators of a piece of
// it (kTile) stand in local memory, and each row is added to all of them.

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "backends/cpu/emit/arithmetic.h"
#include "backends/cpu/emit/combiner.h"
#include "backends/cpu/emit/kernel_writer.h"
#include "backends/cpu/emit/loop_nest.h"

namespace hlokit::cpu {
namespace {

constexpr int64_t kTile = 256;

bool Contains(absl::Span<const int64_t> list, int64_t x) {
  return std::find(list.begin(), list.end(), x) != list.end();
}

// The reduces that the roots are computed from element by element.
class HeroFinder {
 public:
  explicit HeroFinder(const KernelSource& source) : source_(source) {}

  // False when a reduce is also used in another way.
  bool Find() {
    for (const Instruction* root : source_.roots) Walk(*root);
    for (const Instruction* other : others_) {
      if (!Look(*other)) return false;
    }
    return !heroes_.empty();
  }
  const std::vector<const Instruction*>& heroes() const { return heroes_; }

 private:
  void Walk(const Instruction& i) {
    if (source_.IsLeaf(i) || !walked_.insert(&i).second) return;
    if (i.opcode() == Opcode::kReduce) {
      heroes_.push_back(&i);
      return;
    }
    const bool through =
        IsArithmetic(i.opcode()) || i.opcode() == Opcode::kGetTupleElement;
    for (const Instruction* operand : i.operands()) {
      if (through && operand->shape().rank() == i.shape().rank()) {
        Walk(*operand);
      } else {
        others_.push_back(operand);
      }
    }
  }
  // Nothing below may be a hero.
  bool Look(const Instruction& i) {
    if (source_.IsLeaf(i) || !looked_.insert(&i).second) return true;
    if (std::find(heroes_.begin(), heroes_.end(), &i) != heroes_.end()) {
      return false;
    }
    for (const Instruction* operand : i.operands()) {
      if (!Look(*operand)) return false;
    }
    return true;
  }

  const KernelSource& source_;
  std::vector<const Instruction*> heroes_, others_;
  absl::flat_hash_set<const Instruction*> walked_, looked_;
};

class ReductionKernel {
 public:
  ReductionKernel(const KernelSource& source,
                  const std::vector<const Instruction*>& heroes,
                  IrModule* module)
      : source_(source),
        heroes_(heroes),
        shape_(heroes[0]->operand(0)->shape()),
        module_(module) {}

  bool Emit(std::vector<EmittedKernel>* kernels) {
    if (!Fits()) return false;
    MakeRuns();
    const bool tiled = !runs_.empty() && !runs_.back().reduced;
    KernelWriter writer(source_, module_);
    writer_ = &writer;
    tiled ? EmitTiled() : EmitRows();
    if (writer.failed()) return false;
    const DimensionVector order = MajorToMinor(shape_);
    const bool in_order =
        std::is_sorted(order.begin(), order.end()) &&
        (!tiled || runs_.back().size % std::min(kTile, runs_.back().size) == 0);
    kernels->push_back({writer.Finish(), iterations_, work_, in_order});
    return true;
  }

 private:
  // Neighbouring dimensions that are one loop.
  struct Run {
    int64_t dimension;  // the fastest of them
    int64_t size;
    bool reduced;
  };

  // Heroes and roots must go together in one loop.
  bool Fits() const {
    const auto reduced = heroes_[0]->dimensions();
    if (ElementsIn(RootShape(0)) == 0) return false;
    for (const Instruction* hero : heroes_) {
      if (hero->dimensions() != reduced) return false;
      for (int64_t k = 0; k < hero->operand_count() / 2; ++k) {
        const Shape& shape = hero->operand(k)->shape();
        if (shape.dimensions() != shape_.dimensions() ||
            MajorToMinor(shape) != MajorToMinor(shape_)) {
          return false;
        }
      }
    }
    DimensionVector kept;
    for (int64_t d = 0; d < shape_.rank(); ++d) {
      if (!Contains(reduced, d)) kept.push_back(shape_.dimension(d));
    }
    for (size_t k = 0; k < source_.roots.size(); ++k) {
      if (RootShape(k).dimensions() != absl::MakeConstSpan(kept)) return false;
    }
    return true;
  }

  const Shape& RootShape(size_t k) const {
    const Shape& shape = source_.roots[k]->shape();
    return shape.IsTuple() ? shape.tuple_shape(k) : shape;
  }

  int64_t KeptNumber(int64_t dimension) const {
    int64_t number = 0;
    for (int64_t d = 0; d < dimension; ++d) {
      number += !Contains(heroes_[0]->dimensions(), d);
    }
    return number;
  }

  bool Merges(int64_t major, int64_t minor, bool reduced) const {
    const auto is_leaf = [&](const Instruction& i) {
      return source_.IsLeaf(i);
    };
    for (const Instruction* hero : heroes_) {
      for (int64_t k = 0; k < hero->operand_count() / 2; ++k) {
        if (!MergesDimensions(*hero->operand(k), major, minor, is_leaf)) {
          return false;
        }
      }
    }
    if (reduced) return true;
    // What the results are computed from besides the reduces.
    const auto is_known = [&](const Instruction& i) {
      return source_.IsLeaf(i) || i.shape().IsTuple() ||
             std::find(heroes_.begin(), heroes_.end(), &i) != heroes_.end();
    };
    for (size_t k = 0; k < source_.roots.size(); ++k) {
      const Instruction& root = *source_.roots[k];
      if (root.shape().IsTuple() || root.opcode() == Opcode::kGetTupleElement) {
        return false;
      }
      if (!MergesDimensions(root, KeptNumber(major), KeptNumber(minor),
                            is_known)) {
        return false;
      }
    }
    return true;
  }

  void MakeRuns() {
    for (int64_t d : MajorToMinor(shape_)) {
      const bool reduced = Contains(heroes_[0]->dimensions(), d);
      const int64_t size = shape_.dimension(d);
      if (size == 1) continue;
      if (!runs_.empty() && runs_.back().reduced == reduced &&
          Merges(runs_.back().dimension, d, reduced)) {
        runs_.back() = {d, runs_.back().size * size, reduced};
      } else {
        runs_.push_back({d, size, reduced});
      }
    }
  }

  // Sets the kept dimensions of `at` from the number of the iteration: those of
  // the runs before number `last`.
  void Decompose(const IrValue& iteration, size_t last, Index* at) {
    IrFunction& f = writer_->f();
    IrValue rest = iteration;
    std::vector<const Run*> kept;
    for (size_t r = 0; r < last; ++r) {
      if (!runs_[r].reduced) kept.push_back(&runs_[r]);
    }
    for (size_t k = kept.size(); k-- > 0;) {
      const IrValue size = f.Const(kept[k]->size);
      (*at)[kept[k]->dimension] = k == 0 ? rest : f.Rem(rest, size);
      if (k > 0) rest = f.Div(rest, size);
    }
  }

  using Indices = absl::Span<Index>;

  // Loops over the reduced dimensions from run `r` on. Of the innermost loop,
  // `together` iterations are one: the body gets their indices.
  void ReducedLoops(size_t r, Index* at, int64_t together,
                    absl::FunctionRef<void(Indices)> body) {
    while (r < runs_.size() && !runs_[r].reduced) ++r;
    if (r == runs_.size()) return body(absl::MakeSpan(at, 1));
    IrFunction& f = writer_->f();
    const Run& run = runs_[r];
    const bool innermost = std::none_of(runs_.begin() + r + 1, runs_.end(),
                                        [](const Run& x) { return x.reduced; });
    const int64_t step = innermost ? together : 1;
    const int64_t whole = run.size / step * step;
    f.Loop(f.Const(0), f.Const(whole), step, [&](IrValue v) {
      (*at)[run.dimension] = v;
      if (!innermost) return ReducedLoops(r + 1, at, together, body);
      absl::InlinedVector<Index, 4> indices(step, *at);
      for (int64_t k = 1; k < step; ++k) {
        indices[k][run.dimension] = f.Add(v, f.Const(k));
      }
      body(absl::MakeSpan(indices));
    });
    f.Loop(f.Const(whole), f.Const(run.size), 1, [&](IrValue v) {
      (*at)[run.dimension] = v;
      body(absl::MakeSpan(at, 1));
    });
  }

  int64_t KeptElements(size_t last) const {
    int64_t elements = 1;
    for (size_t r = 0; r < last; ++r) {
      if (!runs_[r].reduced) elements *= runs_[r].size;
    }
    return elements;
  }
  int64_t ReducedElements() const {
    int64_t elements = 1;
    for (const Run& run : runs_) elements *= run.reduced ? run.size : 1;
    return elements;
  }

  Index Kept(const Index& at) const {
    Index kept;
    for (int64_t d = 0; d < shape_.rank(); ++d) {
      if (!Contains(heroes_[0]->dimensions(), d)) kept.push_back(at[d]);
    }
    return kept;
  }

  static PrimitiveType TotalTypeOf(const Instruction& hero, int64_t k) {
    return TotalType(*hero.to_apply(), hero.operand(k)->shape().element_type());
  }
  // Of what the totals are, the result.
  Element Total(const Instruction& hero, const std::vector<Element>& totals,
                int64_t k) {
    const PrimitiveType type = hero.operand(k)->shape().element_type();
    return totals[k].type == type ? totals[k]
                                  : Narrow(writer_->f(), totals[k], type);
  }

  std::vector<Element> InitialValues(const Instruction& hero) {
    std::vector<Element> values;
    const int64_t arrays = hero.operand_count() / 2;
    for (int64_t k = 0; k < arrays; ++k) {
      const Element value =
          writer_->elements().Emit(*hero.operand(arrays + k), {});
      values.push_back(TotalTypeOf(hero, k) == value.type
                           ? value
                           : Widen(writer_->f(), value));
    }
    return values;
  }

  std::vector<Element> Accumulated(const Instruction& hero, const Index& at,
                                   const std::vector<Element>& totals) {
    std::vector<Element> values;
    for (int64_t k = 0; k < hero.operand_count() / 2; ++k) {
      values.push_back(writer_->elements().Emit(*hero.operand(k), at));
    }
    return Combine(writer_->elements(), writer_->f(), *hero.to_apply(), totals,
                   values);
  }

  // Computes the roots from the totals and stores them.
  void WriteRoots(const Index& kept,
                  const std::vector<std::vector<Element>>& totals) {
    writer_->elements().Nested([&] {
      for (size_t h = 0; h < heroes_.size(); ++h) {
        const Instruction* hero = heroes_[h];
        if (hero->shape().IsTuple()) {
          for (const Instruction* user : hero->users()) {
            if (user->opcode() != Opcode::kGetTupleElement) continue;
            const Element total = Total(*hero, totals[h], user->tuple_index());
            writer_->SetKnown(
                user, [total](absl::Span<const IrValue>) { return total; });
          }
        } else {
          const Element total = Total(*hero, totals[h], 0);
          writer_->SetKnown(
              hero, [total](absl::Span<const IrValue>) { return total; });
        }
      }
      std::vector<Element> results;
      for (size_t k = 0; k < source_.roots.size(); ++k) {
        const Instruction& root = *source_.roots[k];
        if (root.shape().IsTuple()) {
          const size_t h = std::find(heroes_.begin(), heroes_.end(), &root) -
                           heroes_.begin();
          results.push_back(Total(root, totals[h], k));
        } else {
          results.push_back(writer_->elements().Emit(root, kept));
        }
      }
      for (size_t k = 0; k < results.size(); ++k) {
        writer_->Write(source_.results[k], RootShape(k), kept, results[k]);
      }
      writer_->ClearKnown();
    });
  }

  void EmitRows() {
    iterations_ = KeptElements(runs_.size());
    work_ = ReducedElements() * source_.work;
    IrFunction& f = writer_->f();
    std::vector<std::vector<Variable>> totals(heroes_.size());
    for (size_t h = 0; h < heroes_.size(); ++h) {
      for (int64_t k = 0; k < heroes_[h]->operand_count() / 2; ++k) {
        totals[h].emplace_back(f, TotalTypeOf(*heroes_[h], k));
      }
    }
    const auto get = [&](size_t h) {
      std::vector<Element> values;
      for (const Variable& total : totals[h]) values.push_back(total.Get());
      return values;
    };
    const auto set = [&](size_t h, const std::vector<Element>& values) {
      for (size_t k = 0; k < values.size(); ++k) totals[h][k].Set(values[k]);
    };
    f.Loop(writer_->begin(), writer_->end(), 1, [&](IrValue iteration) {
      writer_->elements().Nested([&] {
        Index at(shape_.rank(), f.Const(0));
        Decompose(iteration, runs_.size(), &at);
        for (size_t h = 0; h < heroes_.size(); ++h) {
          set(h, InitialValues(*heroes_[h]));
        }
        ReducedLoops(0, &at, 1, [&](Indices indices) {
          writer_->elements().Nested([&] {
            for (size_t h = 0; h < heroes_.size(); ++h) {
              set(h, Accumulated(*heroes_[h], indices[0], get(h)));
            }
          });
        });
        std::vector<std::vector<Element>> results;
        for (size_t h = 0; h < heroes_.size(); ++h) results.push_back(get(h));
        for (const Run& run : runs_) {
          if (run.reduced) at[run.dimension] = f.Const(0);
        }
        WriteRoots(Kept(at), results);
      });
    });
  }

  void EmitTiled() {
    const Run& inner = runs_.back();
    const int64_t tile = std::min(kTile, inner.size);
    const int64_t tiles = (inner.size + tile - 1) / tile;
    iterations_ = KeptElements(runs_.size() - 1) * tiles;
    work_ = ReducedElements() * tile * source_.work;
    IrFunction& f = writer_->f();
    std::vector<std::vector<IrValue>> totals(heroes_.size());
    for (size_t h = 0; h < heroes_.size(); ++h) {
      for (int64_t k = 0; k < heroes_[h]->operand_count() / 2; ++k) {
        const PrimitiveType type = TotalTypeOf(*heroes_[h], k);
        totals[h].push_back(
            f.Local(absl::StrCat("[", tile * (IsComplexType(type) ? 2 : 1),
                                 " x ", MemoryType(type), "], align 64")));
      }
    }
    const auto get = [&](size_t h, const IrValue& lane) {
      std::vector<Element> values;
      for (size_t k = 0; k < totals[h].size(); ++k) {
        values.push_back(
            LoadElement(f, TotalTypeOf(*heroes_[h], k), totals[h][k], lane));
      }
      return values;
    };
    const auto set = [&](size_t h, const IrValue& lane,
                         const std::vector<Element>& values) {
      for (size_t k = 0; k < values.size(); ++k) {
        StoreElement(f, values[k], totals[h][k], lane);
      }
    };
    f.Loop(writer_->begin(), writer_->end(), 1, [&](IrValue iteration) {
      writer_->elements().Nested([&] {
        Index at(shape_.rank(), f.Const(0));
        Decompose(f.Div(iteration, f.Const(tiles)), runs_.size() - 1, &at);
        const IrValue start =
            f.Mul(f.Rem(iteration, f.Const(tiles)), f.Const(tile));
        IrValue count = f.Const(tile);
        if (inner.size % tile != 0) {
          count = f.Intrinsic("llvm.smin", "i64",
                              {count, f.Op("sub", f.Const(inner.size), start)});
        }
        const auto lanes = [&](Indices indices,
                               absl::FunctionRef<void(IrValue)> body) {
          f.Loop(f.Const(0), count, 1, [&](IrValue lane) {
            writer_->elements().Nested([&] {
              for (Index& index : indices) {
                index[inner.dimension] = f.Add(start, lane);
              }
              body(lane);
            });
          });
        };
        const Indices here = absl::MakeSpan(&at, 1);
        for (size_t h = 0; h < heroes_.size(); ++h) {
          const std::vector<Element> initial = InitialValues(*heroes_[h]);
          lanes(here, [&](IrValue lane) { set(h, lane, initial); });
        }
        // Several rows at once: the totals are fetched and put back less often.
        const int64_t together = source_.work <= 8 ? 4 : 1;
        ReducedLoops(0, &at, together, [&](Indices indices) {
          lanes(indices, [&](IrValue lane) {
            for (size_t h = 0; h < heroes_.size(); ++h) {
              std::vector<Element> values = get(h, lane);
              for (const Index& index : indices) {
                values = Accumulated(*heroes_[h], index, values);
              }
              set(h, lane, values);
            }
          });
        });
        for (const Run& run : runs_) {
          if (run.reduced) at[run.dimension] = f.Const(0);
        }
        lanes(here, [&](IrValue lane) {
          std::vector<std::vector<Element>> results;
          for (size_t h = 0; h < heroes_.size(); ++h) {
            results.push_back(get(h, lane));
          }
          WriteRoots(Kept(at), results);
        });
      });
    });
  }

  const KernelSource& source_;
  const std::vector<const Instruction*>& heroes_;
  const Shape& shape_;
  IrModule* module_;
  KernelWriter* writer_ = nullptr;
  std::vector<Run> runs_;
  int64_t iterations_ = 1;
  int64_t work_ = 1;
};

}  // namespace

bool EmitReduction(const KernelSource& source, IrModule* module,
                   std::vector<EmittedKernel>* kernels) {
  HeroFinder finder(source);
  if (!finder.Find()) return false;
  // Results are written before all arrays have been read.
  for (const auto& [leaf, array] : source.leaves) {
    if (source.IsWritten(array)) return false;
  }
  return ReductionKernel(source, finder.heroes(), module).Emit(kernels);
}

}  // namespace hlokit::cpu

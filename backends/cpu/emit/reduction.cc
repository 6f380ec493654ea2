// Reductions, with what their arrays are computed from and what becomes of
// their results in the same fusion.
//
// Loops follow the array's layout. Where its fastest dimension is reduced, each
// result has its own accumulator (a register), and the loop over the fastest
// dimension is the innermost. Where it is kept, the accumulators of a piece of
// it (kTile) stand in local memory, and each row is added to all of them.
//
// A reduction to a few results is two kernels: pieces of the arrays are reduced
// side by side, then the totals of the pieces, in their order.

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
    if (!runs_.empty() && !runs_.back().reduced) {
      outer_runs_ = runs_.size() - 1;
      tile_ = std::min(kTile, runs_.back().size);
      tiles_ = (runs_.back().size + tile_ - 1) / tile_;
    } else {
      outer_runs_ = runs_.size();
    }
    iterations_ = KeptElements(outer_runs_) * tiles_;
    work_ = ReducedElements() * tile_ * source_.work;
    MakePieces();
    if (pieces_ == 1) return EmitStage(Stage::kWhole, kernels);
    return EmitStage(Stage::kPieces, kernels) &&
           EmitStage(Stage::kTogether, kernels);
  }

 private:
  // Neighbouring dimensions that are one loop.
  struct Run {
    int64_t dimension;  // the fastest of them
    int64_t size;
    bool reduced;
  };
  // A reduction is one kernel, or two: totals of pieces, and of these.
  enum class Stage { kWhole, kPieces, kTogether };

  bool tiled() const { return outer_runs_ < runs_.size(); }

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

  // Loops over the reduced dimensions from run `r` on, of the outermost only
  // the piece. Of the innermost loop, `together` iterations are one: the body
  // gets their indices.
  void ReducedLoops(size_t r, Index* at, int64_t together,
                    absl::FunctionRef<void(Indices)> body) {
    while (r < runs_.size() && !runs_[r].reduced) ++r;
    if (r == runs_.size()) return body(absl::MakeSpan(at, 1));
    IrFunction& f = writer_->f();
    const Run& run = runs_[r];
    const bool cut = stage_ == Stage::kPieces && r == cut_run_;
    const IrValue first = cut ? piece_first_ : f.Const(0);
    const IrValue count = cut ? piece_count_ : f.Const(run.size);
    const bool innermost = std::none_of(runs_.begin() + r + 1, runs_.end(),
                                        [](const Run& x) { return x.reduced; });
    const int64_t step = innermost ? together : 1;
    const IrValue whole = f.Mul(f.Div(count, f.Const(step)), f.Const(step));
    f.Loop(f.Const(0), whole, step, [&](IrValue v) {
      (*at)[run.dimension] = f.Add(first, v);
      if (!innermost) return ReducedLoops(r + 1, at, together, body);
      absl::InlinedVector<Index, 4> indices(step, *at);
      for (int64_t k = 1; k < step; ++k) {
        indices[k][run.dimension] = f.Add(f.Add(first, v), f.Const(k));
      }
      body(absl::MakeSpan(indices));
    });
    if (step == 1) return;
    f.Loop(whole, count, 1, [&](IrValue v) {
      (*at)[run.dimension] = f.Add(first, v);
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

  // Where there are few results, and so few iterations for threads to share,
  // the outermost of the reduced loops is cut. The pieces depend on the shape
  // alone.
  void MakePieces() {
    constexpr int64_t kFewIterations = 4;
    constexpr int64_t kMostPieces = 32;
    constexpr int64_t kPieceWork = 1 << 17;
    if (iterations_ >= kFewIterations) return;
    cut_run_ = 0;
    while (cut_run_ < runs_.size() && !runs_[cut_run_].reduced) ++cut_run_;
    if (cut_run_ == runs_.size()) return;
    for (const Instruction* hero : heroes_) {
      if (!HasIdentity(*hero->to_apply(), *module_)) return;
    }
    const int64_t size = runs_[cut_run_].size;
    const int64_t wanted = std::min(
        {kMostPieces / iterations_, iterations_ * work_ / kPieceWork, size});
    if (wanted < 2) return;
    // Equal ones, if such are about as many.
    pieces_ = wanted;
    while (pieces_ > (wanted + 1) / 2 && size % pieces_ != 0) --pieces_;
    if (size % pieces_ != 0) pieces_ = wanted;
    piece_ = (size + pieces_ - 1) / pieces_;
    pieces_ = (size + piece_ - 1) / piece_;
    shared_ = source_;
    scratch_array_ = shared_.array_count++;
    for (const Instruction* hero : heroes_) {
      scratch_places_.emplace_back();
      for (int64_t k = 0; k < hero->operand_count() / 2; ++k) {
        scratch_places_.back().push_back(scratch_);
        scratch_ += iterations_ * pieces_ * tile_ *
                    StorageBytes(TotalTypeOf(*hero, k));
        scratch_ = (scratch_ + 63) / 64 * 64;
      }
    }
  }

  bool EmitStage(Stage stage, std::vector<EmittedKernel>* kernels) {
    stage_ = stage;
    KernelWriter writer(pieces_ > 1 ? shared_ : source_, module_);
    writer_ = &writer;
    EmitIterations();
    if (writer.failed()) return false;
    EmittedKernel kernel;
    kernel.function = writer.Finish();
    kernel.iterations = iterations_ * (stage == Stage::kPieces ? pieces_ : 1);
    kernel.work_each = stage == Stage::kTogether ? pieces_ * tile_
                                                 : work_ / pieces_;
    const DimensionVector order = MajorToMinor(shape_);
    kernel.in_order = stage == Stage::kWhole &&
                      std::is_sorted(order.begin(), order.end()) &&
                      (!tiled() || runs_.back().size % tile_ == 0);
    kernel.scratch = scratch_;
    kernels->push_back(std::move(kernel));
    return true;
  }

  // The totals of an iteration, by hero and array: variables, or, of a tile,
  // an array of them.
  class Totals {
   public:
    Totals(IrFunction& f, const std::vector<const Instruction*>& heroes,
           bool tiled, int64_t tile)
        : f_(f) {
      for (const Instruction* hero : heroes) {
        types_.emplace_back();
        variables_.emplace_back();
        tiles_.emplace_back();
        for (int64_t k = 0; k < hero->operand_count() / 2; ++k) {
          const PrimitiveType type = TotalTypeOf(*hero, k);
          types_.back().push_back(type);
          if (tiled) {
            tiles_.back().push_back(f.Local(
                absl::StrCat("[", tile * (IsComplexType(type) ? 2 : 1), " x ",
                             MemoryType(type), "], align 64")));
          } else {
            variables_.back().emplace_back(f, type);
          }
        }
      }
    }
    std::vector<Element> Get(size_t h, const IrValue& lane) const {
      std::vector<Element> values;
      for (const Variable& total : variables_[h]) values.push_back(total.Get());
      for (size_t k = 0; k < tiles_[h].size(); ++k) {
        values.push_back(LoadElement(f_, types_[h][k], tiles_[h][k], lane));
      }
      return values;
    }
    void Set(size_t h, const IrValue& lane,
             const std::vector<Element>& values) {
      for (size_t k = 0; k < variables_[h].size(); ++k) {
        variables_[h][k].Set(values[k]);
      }
      for (size_t k = 0; k < tiles_[h].size(); ++k) {
        StoreElement(f_, values[k], tiles_[h][k], lane);
      }
    }

   private:
    IrFunction& f_;
    std::vector<std::vector<PrimitiveType>> types_;
    std::vector<std::vector<Variable>> variables_;
    std::vector<std::vector<IrValue>> tiles_;
  };

  // Which part of the fastest dimension an iteration makes results for.
  struct Lanes {
    IrValue start, count;
  };

  // Sets the kept dimensions of `at` but for the lane's.
  Lanes Place(const IrValue& iteration, Index* at) {
    IrFunction& f = writer_->f();
    if (!tiled()) {
      Decompose(iteration, outer_runs_, at);
      return {f.Const(0), f.Const(1)};
    }
    const IrValue tiles = f.Const(tiles_);
    Decompose(f.Div(iteration, tiles), outer_runs_, at);
    const int64_t size = runs_.back().size;
    Lanes lanes = {f.Mul(f.Rem(iteration, tiles), f.Const(tile_)),
                   f.Const(tile_)};
    if (size % tile_ != 0) lanes.count = Rest(lanes.start, size, tile_);
    return lanes;
  }
  // Of pieces of `piece`, the one from `first` on: the last may be smaller.
  IrValue Rest(const IrValue& first, int64_t size, int64_t piece) {
    IrFunction& f = writer_->f();
    return f.Intrinsic("llvm.smin", "i64",
                       {f.Const(piece), f.Op("sub", f.Const(size), first)});
  }

  // Runs the body for each lane, with its dimension in all `indices` set.
  void ForLanes(const Lanes& lanes, Indices indices,
                absl::FunctionRef<void(IrValue)> body) {
    IrFunction& f = writer_->f();
    if (!tiled()) {
      return writer_->elements().Nested([&] { body(f.Const(0)); });
    }
    f.Loop(f.Const(0), lanes.count, 1, [&](IrValue lane) {
      writer_->elements().Nested([&] {
        for (Index& index : indices) {
          index[runs_.back().dimension] = f.Add(lanes.start, lane);
        }
        body(lane);
      });
    });
  }

  std::vector<Element> StartValues(const Instruction& hero) {
    if (stage_ != Stage::kPieces) return InitialValues(hero);
    return {Identity(writer_->f(), *hero.to_apply(), TotalTypeOf(hero, 0))};
  }

  // Totals of pieces in memory: `place` is 0 for the first lane of the first.
  IrValue ScratchAt(size_t h, size_t k) {
    return writer_->f().Gep("i8", writer_->Pointer(scratch_array_),
                            writer_->f().Const(scratch_places_[h][k]));
  }
  std::vector<Element> LoadScratch(size_t h, const IrValue& place) {
    std::vector<Element> values;
    for (size_t k = 0; k < scratch_places_[h].size(); ++k) {
      values.push_back(LoadElement(writer_->f(), TotalTypeOf(*heroes_[h], k),
                                   ScratchAt(h, k), place,
                                   writer_->Marks(scratch_array_)));
    }
    return values;
  }
  void StoreScratch(size_t h, const IrValue& place,
                    const std::vector<Element>& values) {
    for (size_t k = 0; k < values.size(); ++k) {
      StoreElement(writer_->f(), values[k], ScratchAt(h, k), place,
                   writer_->Marks(scratch_array_));
    }
  }

  void EmitIterations() {
    IrFunction& f = writer_->f();
    Totals totals(f, heroes_, tiled(), tile_);
    f.Loop(writer_->begin(), writer_->end(), 1, [&](IrValue iteration) {
      writer_->elements().Nested([&] {
        Index at(shape_.rank(), f.Const(0));
        IrValue kept = iteration;
        if (stage_ == Stage::kPieces) {
          kept = f.Div(iteration, f.Const(pieces_));
          piece_first_ =
              f.Mul(f.Rem(iteration, f.Const(pieces_)), f.Const(piece_));
          const int64_t size = runs_[cut_run_].size;
          piece_count_ = size % piece_ == 0
                             ? f.Const(piece_)
                             : Rest(piece_first_, size, piece_);
        }
        const Lanes lanes = Place(kept, &at);
        const Indices here = absl::MakeSpan(&at, 1);
        for (size_t h = 0; h < heroes_.size(); ++h) {
          const std::vector<Element> start = StartValues(*heroes_[h]);
          ForLanes(lanes, here,
                   [&](IrValue lane) { totals.Set(h, lane, start); });
        }
        if (stage_ == Stage::kTogether) {
          AddPieces(iteration, lanes, &at, &totals);
        } else {
          AddElements(lanes, &at, &totals);
        }
        ForLanes(lanes, here, [&](IrValue lane) {
          if (stage_ == Stage::kPieces) {
            const IrValue place =
                f.Add(f.Mul(iteration, f.Const(tile_)), lane);
            for (size_t h = 0; h < heroes_.size(); ++h) {
              StoreScratch(h, place, totals.Get(h, lane));
            }
            return;
          }
          std::vector<std::vector<Element>> results;
          for (size_t h = 0; h < heroes_.size(); ++h) {
            results.push_back(totals.Get(h, lane));
          }
          WriteRoots(Kept(at), results);
        });
      });
    });
  }

  void AddElements(const Lanes& lanes, Index* at, Totals* totals) {
    // Several rows at once: the totals are fetched and put back less often.
    const int64_t together = tiled() && source_.work <= 8 ? 4 : 1;
    ReducedLoops(0, at, together, [&](Indices indices) {
      ForLanes(lanes, indices, [&](IrValue lane) {
        for (size_t h = 0; h < heroes_.size(); ++h) {
          std::vector<Element> values = totals->Get(h, lane);
          for (const Index& index : indices) {
            values = Accumulated(*heroes_[h], index, values);
          }
          totals->Set(h, lane, values);
        }
      });
    });
    for (const Run& run : runs_) {
      if (run.reduced) (*at)[run.dimension] = writer_->f().Const(0);
    }
  }

  // In the order of the pieces.
  void AddPieces(const IrValue& iteration, const Lanes& lanes, Index* at,
                 Totals* totals) {
    IrFunction& f = writer_->f();
    f.Loop(f.Const(0), f.Const(pieces_), 1, [&](IrValue piece) {
      const IrValue first =
          f.Mul(f.Add(f.Mul(iteration, f.Const(pieces_)), piece),
                f.Const(tile_));
      ForLanes(lanes, absl::MakeSpan(at, 1), [&](IrValue lane) {
        for (size_t h = 0; h < heroes_.size(); ++h) {
          totals->Set(h, lane,
                      Combine(writer_->elements(), f, *heroes_[h]->to_apply(),
                              totals->Get(h, lane),
                              LoadScratch(h, f.Add(first, lane))));
        }
      });
    });
  }

  const KernelSource& source_;
  const std::vector<const Instruction*>& heroes_;
  const Shape& shape_;
  IrModule* module_;
  std::vector<Run> runs_;
  // Results: those of the first runs, and of the last one `tile_` at a time if
  // it is kept, too.
  size_t outer_runs_ = 0;
  int64_t tile_ = 1, tiles_ = 1;
  int64_t iterations_ = 1;
  int64_t work_ = 1;

  // The cut of run number `cut_run_`, and where totals of pieces lie.
  size_t cut_run_ = 0;
  int64_t pieces_ = 1;
  int64_t piece_ = 0;  // size of one, the last may be smaller
  KernelSource shared_;
  int scratch_array_ = -1;
  int64_t scratch_ = 0;
  std::vector<std::vector<int64_t>> scratch_places_;

  // Of the kernel that is being written.
  Stage stage_ = Stage::kWhole;
  KernelWriter* writer_ = nullptr;
  IrValue piece_first_, piece_count_;
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

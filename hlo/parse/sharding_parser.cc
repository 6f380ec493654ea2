// Shardings, meshes and replica groups.
#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/suggest.h"
#include "hlo/parse/text_parser.h"

namespace hlokit::parse {
namespace {

// The product; -1 when it overflows or a size is not positive.
int64_t Product(absl::Span<const int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size <= 0 || __builtin_mul_overflow(product, size, &product)) return -1;
  }
  return product;
}

constexpr absl::string_view kReductionMark = "sdy::reduction_op";
constexpr absl::string_view kReductionOps[] = {"sum", "max", "min"};

// Writers repeat the reduction of a named sharding in its metadata.
void TakeReductionFromMetadata(Sharding* sharding) {
  auto& all = sharding->metadata;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].op_type != kReductionMark) continue;
    for (int op = 0; op < 3; ++op) {
      if (absl::EqualsIgnoreCase(all[i].op_name, kReductionOps[op])) {
        sharding->named.reduction_op = op;
      }
    }
    all.erase(all.begin() + i);
    return;
  }
}

}  // namespace

bool TextParser::ParseInts(Tok close, Int64List* list) {
  do {
    if (!ParseInt64(&list->emplace_back())) return false;
  } while (Eat(Tok::kComma));
  return close == Tok::kEof || Expect(close, "',' or the end of the list");
}

// "[2,4]T(1,0)" whose sizes multiply to `product` (-1: any). The transposition
// stands there exactly when there are several dimensions.
bool TextParser::ParseIota(Int64List* reshape_dims, Int64List* transpose_perm,
                           int64_t product) {
  const size_t begin = token().begin;
  if (!Expect(Tok::kLSquare, "'['") ||
      !ParseInts(Tok::kRSquare, reshape_dims)) {
    return false;
  }
  const int64_t count = Product(*reshape_dims);
  if (count < 0 || (product >= 0 && count != product)) {
    return Error(begin, product < 0
                            ? "these sizes must be positive"
                            : absl::StrCat("these sizes must multiply to ",
                                           product));
  }
  if (reshape_dims->size() == 1) {
    *transpose_perm = {0};
    return true;
  }
  const size_t offset = token().begin;
  if (!EatWord("T")) {
    return Unexpected("T(...), the order of these dimensions");
  }
  if (!Expect(Tok::kLParen, "'('") ||
      !ParseInts(Tok::kRParen, transpose_perm)) {
    return false;
  }
  if (transpose_perm->size() != reshape_dims->size() ||
      !IsPermutation(*transpose_perm, transpose_perm->size())) {
    return Error(offset, absl::StrCat("T(...) must be a permutation of 0 to ",
                                      reshape_dims->size() - 1));
  }
  return true;
}

bool TextParser::AtMesh() const {
  return Is(Tok::kIdent) && lexer_.after() == '[' &&
         (token().text == "mesh" || token().text == "maximal_mesh");
}

bool TextParser::ParseMesh(Mesh* mesh) {
  if (EatWord("maximal_mesh")) {
    mesh->maximal = true;
    mesh->has_devices = true;
    return Expect(Tok::kLSquare, "'['") && ExpectAttr("device_id") &&
           ParseNonNegative(&mesh->devices.emplace_back(), "a device number") &&
           Expect(Tok::kRSquare, "']'");
  }
  lexer_.Next();
  const size_t begin = token().begin;
  absl::flat_hash_set<std::string> names;
  if (!ParseSquares([&] {
        MeshAxis& axis = mesh->axes.emplace_back();
        const size_t offset = token().begin;
        if (!ParseString(&axis.name) || !Expect(Tok::kEqual, "'='")) {
          return false;
        }
        if (!names.insert(axis.name).second) {
          return Error(offset, absl::StrCat("the mesh has two axes '",
                                            axis.name, "'"));
        }
        return ParseInt64(&axis.size);
      })) {
    return false;
  }
  Int64List sizes;
  for (const MeshAxis& axis : mesh->axes) sizes.push_back(axis.size);
  if (Product(sizes) < 0) {
    return Error(begin, "the sizes of the mesh must be positive, their product "
                        "less than 2^63");
  }
  if (!ParseMeshDevices(mesh)) return false;
  const absl::Status status = CheckMesh(*mesh);
  return status.ok() || Error(begin, std::string(status.message()));
}

// ", device_ids=(...)", if it is there.
bool TextParser::ParseMeshDevices(Mesh* mesh) {
  const size_t comma = token().begin;
  if (!Eat(Tok::kComma)) return true;
  if (!EatAttr("device_ids")) {
    lexer_.Reset(comma);
    return true;
  }
  Int64List sizes;
  for (const MeshAxis& axis : mesh->axes) sizes.push_back(axis.size);
  const int64_t count = Product(sizes);
  if (!Expect(Tok::kLParen, "'('")) return false;
  if (Is(Tok::kLSquare)) {
    mesh->has_transform = true;
    if (!ParseIota(&mesh->reshape_dims, &mesh->transpose_perm, count)) {
      return false;
    }
    mesh->Canonicalize();
    return Expect(Tok::kRParen, "')'");
  }
  mesh->has_devices = true;
  const size_t begin = token().begin;
  if (!ParseInts(Tok::kRParen, &mesh->devices)) return false;
  if (static_cast<int64_t>(mesh->devices.size()) != count) {
    return Error(begin, absl::StrCat(mesh->devices.size(),
                                     " devices for a mesh of ", count));
  }
  // Every device once.
  if (!IsPermutation(mesh->devices, mesh->devices.size())) {
    return Error(begin, absl::StrCat("the devices must be 0 to ", count - 1,
                                     ", each once"));
  }
  return true;
}

bool TextParser::ParseAxisRef(const Mesh& mesh, AxisRef* axis) {
  const size_t begin = token().begin;
  std::string name;
  if (!Is(Tok::kString)) return Unexpected("the quoted name of a mesh axis");
  if (!ParseString(&name)) return false;
  axis->axis = -1;
  std::vector<absl::string_view> names;
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    names.push_back(mesh.axes[i].name);
    if (mesh.axes[i].name == name) axis->axis = i;
  }
  const int64_t axis_count = mesh.axes.size();
  int64_t number;
  if (axis->axis < 0 && absl::SimpleAtoi(name, &number) && number >= 0 &&
      number < axis_count) {
    axis->axis = number;
  }
  if (axis->axis < 0) {
    return Error(begin, absl::StrCat("the mesh has no axis '", name, "'",
                                     DidYouMean(name, names)));
  }
  if (!Eat(Tok::kColon)) return true;
  axis->has_sub_axis = true;
  if (!Expect(Tok::kLParen, "'('") || !ParseInt64(&axis->pre_size) ||
      !Expect(Tok::kRParen, "')'") || !ParseInt64(&axis->size)) {
    return false;
  }
  const int64_t full = mesh.axes[axis->axis].size;
  int64_t covered;
  if (axis->pre_size < 1 || axis->size < 2 ||
      __builtin_mul_overflow(axis->pre_size, axis->size, &covered) ||
      full % covered != 0) {
    return Error(begin, absl::StrCat("(", axis->pre_size, ")", axis->size,
                                     " is no part of axis '", name,
                                     "' of size ", full));
  }
  if (axis->size == full) {
    return Error(begin, absl::StrCat("this part is all of axis '", name,
                                     "'; write '", name, "' alone"));
  }
  return true;
}

bool TextParser::ParseAxisRefs(const Mesh& mesh, AxisRefs* axes) {
  return ParseBraces(
      [&] { return ParseAxisRef(mesh, &axes->emplace_back()); });
}

bool TextParser::ParseReplicaGroups(ReplicaGroups* groups) {
  if (AtMesh()) {
    groups->form = ReplicaGroups::kMesh;
    const size_t begin = token().begin;
    if (!ParseMesh(&groups->mesh)) return false;
    if (groups->mesh.maximal) {
      return Error(begin, "replica groups need a mesh with axes");
    }
    return ParseAxisRefs(groups->mesh, &groups->axes);
  }
  if (!Is(Tok::kLSquare)) return ParseInt64ListList(&groups->groups);
  groups->form = ReplicaGroups::kIota;
  const size_t begin = token().begin;
  Int64List sizes;
  lexer_.Next();
  if (!ParseInts(Tok::kRSquare, &sizes)) return false;
  const int64_t product = Product(sizes);
  if (sizes.size() != 2 || product < 0) {
    return Error(begin, "expected [number of groups,size of a group]");
  }
  groups->group_count = sizes[0];
  groups->group_size = sizes[1];
  if (!Expect(Tok::kLessEq, "'<='") ||
      !ParseIota(&groups->reshape_dims, &groups->transpose_perm, product)) {
    return false;
  }
  CanonicalizeIota(&groups->reshape_dims, &groups->transpose_perm);
  return true;
}

bool TextParser::ParseSharding(Sharding* sharding) {
  if (!Is(Tok::kLBrace)) return Unexpected("'{'");
  const char next = lexer_.ByteAt(lexer_.SkipBlanks(token().end));
  if (next != '{' && next != '}') return ParseOneSharding(sharding);
  sharding->kind = Sharding::kTuple;
  return ParseBraces([&] {
    if (!Is(Tok::kLBrace)) return Unexpected("'{'");
    return ParseOneSharding(&sharding->elements.emplace_back());
  });
}

bool TextParser::ParseOneSharding(Sharding* sharding) {
  const size_t begin = token().begin;
  lexer_.Next();
  if (AtMesh()) return ParseNamedSharding(sharding);
  sharding->kind = Sharding::kUnknown;
  bool seen = false;
  int kinds = 0;
  while (!Is(Tok::kRBrace)) {
    seen = true;
    const size_t offset = token().begin;
    if (!ParseShardingWord(sharding, begin, &kinds)) return false;
    if (kinds > 1) return Error(offset, "a sharding has one kind only");
  }
  if (!seen) return ErrorHere("an empty sharding");
  lexer_.Next();
  if (sharding->kind == Sharding::kTiled && !CheckTiles(*sharding, begin)) {
    return false;
  }
  if (sharding->kind != Sharding::kTiled &&
      (sharding->replicate_on_last_tile_dim ||
       !sharding->last_tile_dims.empty())) {
    return Error(begin, "sub-groups of devices go with devices= only");
  }
  if (sharding->kind == Sharding::kMaximal && sharding->device < 0) {
    return Error(begin, "a maximal sharding needs device=");
  }
  sharding->Normalize();
  return true;
}

bool TextParser::ParseShardingWord(Sharding* sharding, size_t begin,
                                   int* kinds) {
  struct Word {
    absl::string_view text;
    Sharding::Kind kind;
  };
  static constexpr Word kWords[] = {
      {"replicated", Sharding::kReplicated}, {"manual", Sharding::kManual},
      {"unknown", Sharding::kUnknown},       {"unreduced", Sharding::kUnreduced},
      {"maximal", Sharding::kMaximal},
  };
  if (Is(Tok::kAttr)) {
    if (IsAttr("device")) {
      if (sharding->kind != Sharding::kMaximal) {
        return ErrorHere("device= goes with maximal only");
      }
      lexer_.Next();
      return ParseNonNegative(&sharding->device, "a device number");
    }
    if (EatAttr("devices")) {
      ++*kinds;
      return ParseTiledDevices(sharding);
    }
    if (EatAttr("last_tile_dims")) return ParseLastTileDims(sharding);
    if (EatAttr("metadata")) return ParseShardingMetadata(&sharding->metadata);
  } else if (Is(Tok::kIdent)) {
    for (const Word& word : kWords) {
      if (!EatWord(word.text)) continue;
      sharding->kind = word.kind;
      ++*kinds;
      if (word.kind == Sharding::kMaximal) sharding->device = -1;
      if (word.kind == Sharding::kMaximal && EatAttr("device")) {
        return ParseNonNegative(&sharding->device, "a device number");
      }
      return true;
    }
    if (EatWord("last_tile_dim_replicate")) {
      sharding->replicate_on_last_tile_dim = true;
      return true;
    }
    const bool as = IsWord("shard_as");
    if (as || IsWord("shard_like")) {
      lexer_.Next();
      sharding->shard_group =
          as ? Sharding::kShardAs : Sharding::kShardLike;
      return ParseNonNegative(&sharding->shard_group_id, "a shard group");
    }
  }
  if (Is(Tok::kEof)) return Error(begin, "this sharding does not end");
  if (Is(Tok::kIdent) || Is(Tok::kAttr)) {
    return UnknownWord(token().text,
                       absl::StrCat("'", token().text,
                                    "' is not a word of shardings: replicated, "
                                    "manual, maximal, unknown, unreduced, "
                                    "devices="),
                       /*has_meaning=*/false);
  }
  return Unexpected(
      "a sharding: replicated, manual, maximal, unknown, unreduced, devices=");
}

bool TextParser::ParseTiledDevices(Sharding* sharding) {
  sharding->kind = Sharding::kTiled;
  TileAssignment& tiles = sharding->tiles;
  const size_t begin = token().begin;
  if (!Expect(Tok::kLSquare, "'['") ||
      !ParseInts(Tok::kRSquare, &tiles.dimensions)) {
    return false;
  }
  const int64_t count = Product(tiles.dimensions);
  if (count < 0) return Error(begin, "tile sizes must be positive");
  if (Eat(Tok::kLessEq)) {
    tiles.is_iota = true;
    return ParseIota(&tiles.reshape_dims, &tiles.transpose_perm, count);
  }
  const size_t devices = token().begin;
  if (!ParseInts(Tok::kEof, &tiles.devices)) return false;
  if (static_cast<int64_t>(tiles.devices.size()) != count) {
    return Error(devices, absl::StrCat(tiles.devices.size(), " devices for ",
                                       count, " tiles"));
  }
  for (int64_t device : tiles.devices) {
    if (device < 0) return Error(devices, "a device number is negative");
  }
  return true;
}

bool TextParser::ParseLastTileDims(Sharding* sharding) {
  return ParseBraces([&] {
    Sharding::Kind kind;
    if (IsWord("replicated")) {
      kind = Sharding::kReplicated;
    } else if (IsWord("manual")) {
      kind = Sharding::kManual;
    } else if (IsWord("maximal")) {
      kind = Sharding::kMaximal;
    } else if (IsWord("unreduced")) {
      kind = Sharding::kUnreduced;
    } else {
      return Unexpected("replicated, manual, maximal or unreduced");
    }
    lexer_.Next();
    sharding->last_tile_dims.push_back(kind);
    return true;
  });
}

bool TextParser::CheckTiles(const Sharding& sharding, size_t offset) {
  const TileAssignment& tiles = sharding.tiles;
  if (tiles.device_count() == 1) {
    return Error(offset, "tiles on one device; write {maximal device=...}");
  }
  if (sharding.last_tile_dims.size() +
          sharding.replicate_on_last_tile_dim >
      tiles.dimensions.size()) {
    return Error(offset, "more kinds of last tile dimensions than dimensions");
  }
  return true;
}

bool TextParser::ParseShardingMetadata(std::vector<OpMetadata>* metadata) {
  const char next = lexer_.ByteAt(lexer_.SkipBlanks(token().end));
  if (!Is(Tok::kLBrace) || next != '{') {
    return ParseMetadata(&metadata->emplace_back());
  }
  return ParseBraces(
      [&] { return ParseMetadata(&metadata->emplace_back()); });
}

bool TextParser::ParseReductionOp(int64_t* op) {
  for (int i = 0; i < 3; ++i) {
    if (!EatWord(kReductionOps[i])) continue;
    *op = i;
    return true;
  }
  return Unexpected("sum, max or min");
}

bool TextParser::ParseNamedSharding(Sharding* sharding) {
  sharding->kind = Sharding::kNamed;
  NamedSharding& named = sharding->named;
  if (!ParseMesh(&named.mesh)) return false;
  Eat(Tok::kComma);
  auto all_axes = [&] {
    AxisRefs axes;
    for (size_t i = 0; i < named.mesh.axes.size(); ++i) {
      axes.push_back({.axis = static_cast<int64_t>(i)});
    }
    return axes;
  };
  uint8_t seen = 0;
  if (EatWord("replicated")) {
  } else if (EatWord("manual")) {
    named.manual = all_axes();
  } else if (IsWord("unreduced") ||
             (IsAttr("unreduced") &&
              lexer_.ByteAt(lexer_.SkipBlanks(token().end)) != '{')) {
    const bool has_op = Is(Tok::kAttr);
    lexer_.Next();
    if (has_op && !ParseReductionOp(&named.reduction_op)) return false;
    if (!Is(Tok::kLBrace)) {
      named.unreduced = all_axes();
    } else if (!ParseAxisRefs(named.mesh, &named.unreduced)) {
      return false;
    }
  } else if (Is(Tok::kLSquare)) {
    if (!ParseNamedDimensions(&named)) return false;
  } else if (!Is(Tok::kRBrace) && !Is(Tok::kAttr)) {
    return Unexpected("replicated, manual, unreduced or '['");
  } else if (Is(Tok::kAttr) && !ParseNamedAxes(sharding, &seen)) {
    return false;
  }
  while (Eat(Tok::kComma)) {
    if (!ParseNamedAxes(sharding, &seen)) return false;
  }
  if (!Expect(Tok::kRBrace, "',' or '}'")) return false;
  TakeReductionFromMetadata(sharding);
  return true;
}

bool TextParser::ParseNamedDimensions(NamedSharding* named) {
  return ParseSquares([&] {
    NamedSharding::Dimension& dimension = named->dimensions.emplace_back();
    return ParseBraces([&] {
      if (dimension.open) return ErrorHere("'?' must come last");
      if (Eat(Tok::kQuestion)) {
        dimension.open = true;
        return true;
      }
      return ParseAxisRef(named->mesh, &dimension.axes.emplace_back());
    });
  });
}

bool TextParser::ParseNamedAxes(Sharding* sharding, uint8_t* seen) {
  static constexpr absl::string_view kNames[] = {"replicated", "unreduced",
                                                 "manual", "metadata"};
  NamedSharding& named = sharding->named;
  for (int i = 0; i < 4; ++i) {
    if (!IsAttr(kNames[i])) continue;
    if (*seen & (1 << i)) {
      return ErrorHere(absl::StrCat(kNames[i], "= stands twice"));
    }
    *seen |= 1 << i;
    lexer_.Next();
    switch (i) {
      case 0: return ParseAxisRefs(named.mesh, &named.replicated);
      case 1:
        if (!Is(Tok::kLBrace) && !ParseReductionOp(&named.reduction_op)) {
          return false;
        }
        return ParseAxisRefs(named.mesh, &named.unreduced);
      case 2: return ParseAxisRefs(named.mesh, &named.manual);
      default: return ParseShardingMetadata(&sharding->metadata);
    }
  }
  return Unexpected("replicated=, unreduced=, manual= or metadata=");
}

}  // namespace hlokit::parse

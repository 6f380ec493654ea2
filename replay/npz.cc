// .npz is a zip archive of .npy files; libzip does the archive.

#include <zip.h>

#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "replay/npy.h"

namespace hlokit {
namespace {

struct ArchiveDiscard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, ArchiveDiscard>;

std::string ErrorText(zip_error_t* error) {
  std::string text = zip_error_strerror(error);
  zip_error_fini(error);
  return text;
}

absl::StatusOr<std::string> ReadMember(zip_t* archive, zip_uint64_t index,
                                       const zip_stat_t& info) {
  zip_file_t* file = zip_fopen_index(archive, index, 0);
  if (file == nullptr) {
    return InvalidArgument("member %s: %s", info.name, zip_strerror(archive));
  }
  std::string contents;
  char buffer[1 << 16];
  zip_int64_t got = 0;
  while ((got = zip_fread(file, buffer, sizeof(buffer))) > 0 &&
         contents.size() <= info.size) {
    contents.append(buffer, got);
  }
  zip_fclose(file);
  if (got < 0 || contents.size() != info.size) {
    return InvalidArgument("member %s is broken", info.name);
  }
  return contents;
}

}  // namespace

absl::StatusOr<NpzMembers> ReadNpz(absl::string_view bytes,
                                   int64_t max_bytes) {
  constexpr size_t kEndRecordBytes = 22;  // no zip archive is smaller
  if (bytes.size() < kEndRecordBytes) {
    return InvalidArgument("this is no .npz file: it has %d bytes",
                           bytes.size());
  }
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source =
      zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (source == nullptr) return Internal("%s", ErrorText(&error));
  Archive archive(zip_open_from_source(source, ZIP_RDONLY, &error));
  if (archive == nullptr) {
    zip_source_free(source);
    return InvalidArgument("this is no .npz file: %s", ErrorText(&error));
  }
  NpzMembers members;
  int64_t total = 0;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t info;
    zip_stat_init(&info);
    if (zip_stat_index(archive.get(), i, 0, &info) != 0) {
      return InvalidArgument("member %d is broken", i);
    }
    total += static_cast<int64_t>(std::min<zip_uint64_t>(info.size, max_bytes));
    if (info.size > static_cast<zip_uint64_t>(max_bytes) || total > max_bytes) {
      return ResourceExhausted("the archive holds more than %d bytes",
                               max_bytes);
    }
    HLOKIT_ASSIGN_OR_RETURN(std::string contents,
                            ReadMember(archive.get(), i, info));
    members.emplace_back(
        std::string(absl::StripSuffix(absl::string_view(info.name), ".npy")),
        std::move(contents));
  }
  return members;
}

absl::StatusOr<std::string> WriteNpz(const NpzMembers& members) {
  if (members.empty()) {
    // libzip writes nothing at all; an archive needs at least its end record.
    std::string end("PK\5\6", 4);
    end.append(18, '\0');
    return end;
  }
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* target = zip_source_buffer_create(nullptr, 0, 0, &error);
  if (target == nullptr) return Internal("%s", ErrorText(&error));
  zip_source_keep(target);  // its bytes are read after the archive is closed
  zip_t* archive = zip_open_from_source(target, ZIP_TRUNCATE, &error);
  if (archive == nullptr) {
    zip_source_free(target);
    return Internal("%s", ErrorText(&error));
  }
  for (const auto& [name, contents] : members) {
    zip_source_t* source = zip_source_buffer(archive, contents.data(),
                                             contents.size(), 0);
    const zip_int64_t index = zip_file_add(
        archive, absl::StrCat(name, ".npy").c_str(), source,
        ZIP_FL_OVERWRITE | ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      zip_source_free(target);
      zip_discard(archive);
      return Internal("cannot add %s to the archive", name);
    }
    zip_set_file_compression(archive, index, ZIP_CM_STORE, 0);
    // No time of day in files that should be the same each time.
    zip_file_set_dostime(archive, index, 0, (1 << 5) | 1, 0);
  }
  if (zip_close(archive) != 0) {
    zip_discard(archive);
    zip_source_free(target);
    return Internal("cannot write the archive");
  }
  std::string bytes;
  if (zip_source_open(target) == 0) {
    zip_source_seek(target, 0, SEEK_END);
    const zip_int64_t size = zip_source_tell(target);
    zip_source_seek(target, 0, SEEK_SET);
    if (size > 0) {
      bytes.resize(size);
      zip_source_read(target, bytes.data(), size);
    }
    zip_source_close(target);
  }
  zip_source_free(target);
  return bytes;
}

}  // namespace hlokit

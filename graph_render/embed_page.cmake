# Writes OUTPUT, a C++ source with the page's skeleton, style and script and the
# hashes that its policy names. FOLDER: where they are; SCRIPTS: in their order,
# separated by commas.
#   cmake -DFOLDER=... -DSCRIPTS=a.js,b.js -DOUTPUT=... -P embed_page.cmake
string(REPLACE "," ";" SCRIPTS "${SCRIPTS}")
set(script "\"use strict\";\n")
foreach(name ${SCRIPTS})
  file(READ ${FOLDER}/${name} text)
  string(APPEND script "${text}")
endforeach()
file(READ ${FOLDER}/page.css style)
file(READ ${FOLDER}/page.html skeleton)
string(SHA256 script_hash "${script}")
string(SHA256 style_hash "${style}")
file(WRITE ${OUTPUT} "#include \"graph_render/page_files.h\"

namespace hlokit {

const absl::string_view kPageSkeleton = R\"hlokit_page(${skeleton})hlokit_page\";
const absl::string_view kPageStyle = R\"hlokit_page(${style})hlokit_page\";
const absl::string_view kPageScript = R\"hlokit_page(${script})hlokit_page\";
const absl::string_view kPageStyleSha256 = \"${style_hash}\";
const absl::string_view kPageScriptSha256 = \"${script_hash}\";

}  // namespace hlokit
")

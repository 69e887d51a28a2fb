#include "engine/session/prefix_folder.h"

#include "engine/prefix/page_store.h"

namespace lacuna {

std::filesystem::path prefixFolderIn(const std::filesystem::path& personal) {
    return personal.empty() ? personal : personal / kPrefixFolder;
}

}  // namespace lacuna

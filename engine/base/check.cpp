#include "engine/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace lacuna {

void requirementFailed(const char* condition, const char* text, const char* file, int line) {
    std::fprintf(stderr, "lacuna: internal check failed: %s (%s) at %s:%d\n", text, condition, file,
                 line);
    std::abort();
}

}  // namespace lacuna

#include "engine/base/log.h"

#include <cstdio>

namespace lacuna {

void StderrLogger::write(LogLevel level, std::string_view room, std::string_view message) {
    if (level < threshold_) return;
    const std::scoped_lock lock(mutex_);
    std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(room.size()), room.data(),
                 static_cast<int>(message.size()), message.data());
}

}  // namespace lacuna

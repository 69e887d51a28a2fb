#include "engine/session/thread_niceness.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lacuna {

void niceThisThread(int niceness) {
    if (niceness <= 0) return;
    const auto thread = static_cast<id_t>(::syscall(SYS_gettid));
    static_cast<void>(::setpriority(PRIO_PROCESS, thread, niceness));
}

}  // namespace lacuna

#pragma once
/// \file
/// System calls that fail on demand: the n-th write of a regular file, the n-th allocation. The
/// functions interpose those of the C library, for the program they are linked into and every
/// library it loads. As a shared library for LD_PRELOAD, LACUNA_FAULT selects the fault, for
/// example "write:3:ENOSPC:once"; see README.md in this folder.

#include <cerrno>

namespace lacuna::fault {

enum class Call { Write, Sync, Rename, Close, Memory, Thread };

struct Plan {
    Call call = Call::Write;
    long nth = 0;  ///< the first call that fails, counted from 1; 0 = none, calls are only counted
    int error = EIO;       ///< errno; a failed allocation always returns null
    bool forGood = false;  ///< later calls fail too
    bool partial = false;  ///< the write does half of its work and succeeds; later ones fail if
                           ///< `forGood`
};

/// Arms the plan for all threads.
void arm(const Plan& plan);
/// Disarms the plan. Returns the number of calls of its kind.
long disarm();

}  // namespace lacuna::fault

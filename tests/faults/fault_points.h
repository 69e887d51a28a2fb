#pragma once
/// \file
/// Calls to the system that fail when they are told to: the n-th write of a regular file, the n-th
/// allocation. The functions of this file's source stand before those of the C library, for the
/// program that they are linked into and for every library it loads; or, as a library of its own,
/// for a program that is started with LD_PRELOAD (then LACUNA_FAULT says what fails, for example
/// "write:3:ENOSPC:once"; see README.md here).

#include <cerrno>

namespace lacuna::fault {

enum class Call { Write, Sync, Rename, Close, Memory, Thread };

struct Plan {
    Call call = Call::Write;
    long nth = 0;     ///< the first one that fails, counted from 1; 0: none, they are counted only
    int error = EIO;  ///< errno; allocations answer null whatever it is
    bool forGood = false;  ///< those after it fail too
    bool partial = false;  ///< that write does half of its work and succeeds; those after it fail
                           ///< when `forGood`
};

/// From now on, in all threads.
void arm(const Plan& plan);
/// No further one fails. Returns how many calls of the kind there were.
long disarm();

}  // namespace lacuna::fault

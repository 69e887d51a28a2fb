#pragma once
/// \file
/// Priority of the calling thread.

namespace lacuna {

/// Lowers the priority of the calling thread by `niceness`; threads created by it inherit that.
/// Best effort: a refusal is ignored. 0 or less changes nothing.
void niceThisThread(int niceness);

}  // namespace lacuna

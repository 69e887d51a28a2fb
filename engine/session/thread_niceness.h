#pragma once
/// \file
/// Priority of the thread that calls.

namespace lacuna {

/// Lowers the priority of the calling thread by `niceness`; threads made by it inherit that. A
/// wish: refusal does no harm. 0 or less changes nothing.
void niceThisThread(int niceness);

}  // namespace lacuna

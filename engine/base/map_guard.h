#pragma once
/// \file
/// What keeps a process alive when a file that it has mapped becomes shorter: reading after the
/// new end is a bus error, which ends a program that does not expect it. The maps watched here get
/// pages of zeros from the place of such a read to their end instead, and a mark. What was read is
/// then wrong, so whoever computes with a map asks for the mark before it believes a result
/// (MappedFile::checkUnchanged). A bus error anywhere else goes to whoever had the signal before.

#include <cstddef>

namespace lacuna {

/// Most maps watched at once, those of all models and files together.
inline constexpr int kMaxGuardedMaps = 4096;

/// Watches `size` bytes from `data`, which mmap gave, and installs the handler with the first.
/// The number of the watch, or -1 when there are too many. Any thread. @pre size > 0
[[nodiscard]] int guardMap(const void* data, std::size_t size);
/// Whether a read of this map fell after the end of its file. Any thread.
[[nodiscard]] bool mapIsLost(int watch);
/// To be called before the map is given back. Any thread.
void releaseMap(int watch);

}  // namespace lacuna

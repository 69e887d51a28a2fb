#pragma once
/// \file
/// Compactions of one session and their results. A compaction that runs alongside the answer is
/// reported at its start and at its end; it counts once, as unfinished until the end is reported.
/// Plain data.

#include <span>
#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/compress/driver/compactor.h"

namespace lacuna::cli {

class CompactionList {
  public:
    void add(CompactionReport report);
    /// True while a compaction has started and not ended.
    [[nodiscard]] bool unfinished() const;
    [[nodiscard]] std::span<const CompactionReport> all() const { return reports_; }
    /// Returns "2 compactions done, 1 not finished".
    [[nodiscard]] std::string counts() const;
    /// Returns one sentence each: "compaction 1 done: 8,192 to 2,048 slots, 6.0 to 1.5 MiB".
    [[nodiscard]] std::vector<std::string> sentences() const;
    /// Returns an entry with `result` each; the sizes after the compaction are null unless it is
    /// done.
    [[nodiscard]] OrderedJson json() const;

  private:
    std::vector<CompactionReport> reports_;
};

}  // namespace lacuna::cli

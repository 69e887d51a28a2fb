#pragma once
/// \file
/// The compactions of a session in the terminal, each with how it ended. One that goes on alongside
/// the answer is told of twice, when it begins and when it ends; it counts once, and as not
/// finished until its end was reported. Plain data.

#include <span>
#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/compress/compactor.h"

namespace lacuna::cli {

class CompactionList {
  public:
    void add(CompactionReport report);
    /// Whether one has begun and not ended.
    [[nodiscard]] bool unfinished() const;
    [[nodiscard]] std::span<const CompactionReport> all() const { return reports_; }
    /// "2 compactions done, 1 not finished".
    [[nodiscard]] std::string counts() const;
    /// One sentence for each: "compaction 1 done: 8,192 to 2,048 slots, 6.0 to 1.5 MiB".
    [[nodiscard]] std::vector<std::string> sentences() const;
    /// Each with `result`; what it left is null unless it is done.
    [[nodiscard]] OrderedJson json() const;

  private:
    std::vector<CompactionReport> reports_;
};

}  // namespace lacuna::cli

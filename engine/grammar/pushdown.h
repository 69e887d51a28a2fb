#pragma once
/// \file
/// A grammar as states and edges over bytes: what a reader of a text may do next. A call edge reads
/// a rule and goes on after it. Immutable; shared by all answers of one grammar.

#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/work_budget.h"
#include "engine/grammar/byte_classes.h"
#include "engine/grammar/grammar_tree.h"

namespace lacuna {

/// Characters as bytes: a range of code points as runs of byte ranges. Pure function.
/// Source: RFC 3629; the splitting is that of Thompson's grep for UTF-8.
struct ByteRangeOf {
    std::uint8_t first = 0;
    std::uint8_t last = 0;
    friend bool operator==(const ByteRangeOf&, const ByteRangeOf&) = default;
};

/// One to four byte ranges; every choice of a byte from each is one character.
using ByteRun = std::vector<ByteRangeOf>;

/// Runs that spell exactly the characters of `range`; surrogates are no characters and left out.
[[nodiscard]] std::vector<ByteRun> byteRuns(CharRange range);

struct CallEdge {
    std::uint32_t rule = 0;
    std::uint32_t behind = 0;  ///< state after the rule
};

struct PushdownState {
    std::vector<ByteEdge> bytes;
    std::vector<CallEdge> calls;
    std::vector<std::uint32_t> empty;  ///< reached without reading
    std::uint32_t shape = 0;           ///< of its edges over bytes (ByteShapes)
    bool final = false;                ///< the rule may end here
    /// The rule ends here and nowhere else can it go: a call in front of it needs no return.
    bool tail = false;
};

class Pushdown {
  public:
    /// Most states; a grammar that repeats large parts thousands of times has more.
    static constexpr std::size_t kMaxStates = 400'000;
    /// Most ways in which states may divide the bytes; grammars in use have tens.
    static constexpr std::size_t kMaxShapes = 16'384;

    /// Errors: InvalidArgument (a rule that begins with itself, a grammar that can spell no text,
    /// too many states, shapes or steps), naming the rule; Cancelled.
    [[nodiscard]] static Result<std::shared_ptr<const Pushdown>> compile(const GrammarTree& tree,
                                                                         WorkBudget& work);
    /// The same with a budget of its own.
    [[nodiscard]] static Result<std::shared_ptr<const Pushdown>> compile(const GrammarTree& tree);

    [[nodiscard]] const PushdownState& state(std::uint32_t index) const { return states_[index]; }
    [[nodiscard]] std::size_t states() const { return states_.size(); }
    [[nodiscard]] std::uint32_t startOf(std::uint32_t rule) const { return starts_[rule]; }
    [[nodiscard]] std::uint32_t root() const { return root_; }
    /// Bytes that no state tells apart are of one class.
    [[nodiscard]] const ByteClasses& classes() const { return classes_; }
    /// Bytes that few states tell apart: those whose shape parts the class.
    [[nodiscard]] const ByteClasses& broadClasses() const { return broad_; }
    [[nodiscard]] bool parts(std::uint32_t shape, std::uint16_t broadClass) const {
        return parting_[shape][broadClass];
    }

  private:
    friend class PushdownBuilder;
    [[nodiscard]] Status findClasses(WorkBudget& work);

    std::vector<PushdownState> states_;
    std::vector<std::uint32_t> starts_;  ///< of each rule
    std::uint32_t root_ = 0;
    ByteClasses classes_;
    ByteClasses broad_;
    std::vector<std::bitset<256>> parting_;  ///< [shapes] broad classes
};

}  // namespace lacuna

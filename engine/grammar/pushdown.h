#pragma once
/// \file
/// A grammar compiled to a pushdown automaton over bytes. A call edge reads a rule and continues
/// after it. Immutable; shared by all answers with the same grammar.

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

/// One range in a run of byte ranges, by which code points are encoded. Source: RFC 3629; splitting
/// as in Thompson's grep for UTF-8.
struct ByteRangeOf {
    std::uint8_t first = 0;
    std::uint8_t last = 0;
    friend bool operator==(const ByteRangeOf&, const ByteRangeOf&) = default;
};

/// One to four byte ranges; every combination of one byte from each encodes one character.
using ByteRun = std::vector<ByteRangeOf>;

/// Returns runs that encode exactly the characters of `range`, excluding surrogates. Pure function.
[[nodiscard]] std::vector<ByteRun> byteRuns(CharRange range);

struct CallEdge {
    std::uint32_t rule = 0;
    std::uint32_t behind = 0;  ///< state after the rule
};

struct PushdownState {
    std::vector<ByteEdge> bytes;
    std::vector<CallEdge> calls;
    std::vector<std::uint32_t> empty;  ///< targets of empty transitions
    std::uint32_t shape = 0;           ///< shape of its byte edges (ByteShapes)
    bool final = false;                ///< the rule may end here
    /// The rule ends here and has no other continuation, so a call leading here needs no return.
    bool tail = false;
};

class Pushdown {
  public:
    /// Maximum number of states; exceeded only by grammars that repeat large parts thousands of
    /// times.
    static constexpr std::size_t kMaxStates = 400'000;
    /// Maximum number of shapes; grammars in use have tens.
    static constexpr std::size_t kMaxShapes = 16'384;

    /// Errors: InvalidArgument (a left-recursive rule, a grammar without any text, too many states,
    /// shapes or steps), naming the rule; Cancelled.
    [[nodiscard]] static Result<std::shared_ptr<const Pushdown>> compile(const GrammarTree& tree,
                                                                         WorkBudget& work);
    /// Same, with its own budget.
    [[nodiscard]] static Result<std::shared_ptr<const Pushdown>> compile(const GrammarTree& tree);

    [[nodiscard]] const PushdownState& state(std::uint32_t index) const { return states_[index]; }
    [[nodiscard]] std::size_t states() const { return states_.size(); }
    [[nodiscard]] std::uint32_t startOf(std::uint32_t rule) const { return starts_[rule]; }
    [[nodiscard]] std::uint32_t root() const { return root_; }
    /// Classes of bytes that no state distinguishes.
    [[nodiscard]] const ByteClasses& classes() const { return classes_; }
    /// Classes of bytes that few states distinguish; parts() identifies these by their shape.
    [[nodiscard]] const ByteClasses& broadClasses() const { return broad_; }
    [[nodiscard]] bool parts(std::uint32_t shape, std::uint16_t broadClass) const {
        return splitClasses_[shape][broadClass];
    }

  private:
    friend class PushdownBuilder;
    [[nodiscard]] Status findClasses(WorkBudget& work);

    std::vector<PushdownState> states_;
    std::vector<std::uint32_t> starts_;  ///< start state of each rule
    std::uint32_t root_ = 0;
    ByteClasses classes_;
    ByteClasses broad_;
    std::vector<std::bitset<256>> splitClasses_;  ///< [shapes] broad classes that the shape splits
};

}  // namespace lacuna

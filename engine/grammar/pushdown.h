#pragma once
/// \file
/// A grammar as states and edges over bytes: what a reader of a text may do next. A call edge reads
/// a rule and goes on behind it. Immutable; shared by all answers of one grammar.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/grammar/grammar_tree.h"

namespace lacuna {

struct ByteEdge {
    std::uint8_t first = 0;
    std::uint8_t last = 0;
    std::uint32_t target = 0;
};
struct CallEdge {
    std::uint32_t rule = 0;
    std::uint32_t behind = 0;  ///< state after the rule
};

struct PushdownState {
    std::vector<ByteEdge> bytes;
    std::vector<CallEdge> calls;
    std::vector<std::uint32_t> empty;  ///< reached without reading
    bool final = false;                ///< the rule may end here
    /// The rule ends here and nowhere else can it go: a call in front of it needs no return.
    bool tail = false;
};

class Pushdown {
  public:
    /// Most states; a grammar that repeats large parts thousands of times has more.
    static constexpr std::size_t kMostStates = 400'000;

    /// Errors: InvalidArgument (a rule that begins with itself, a grammar that can spell no text,
    /// too many states), naming the rule.
    [[nodiscard]] static Result<std::shared_ptr<const Pushdown>> compile(const GrammarTree& tree);

    [[nodiscard]] const PushdownState& state(std::uint32_t index) const { return states_[index]; }
    [[nodiscard]] std::size_t states() const { return states_.size(); }
    [[nodiscard]] std::uint32_t startOf(std::uint32_t rule) const { return starts_[rule]; }
    [[nodiscard]] std::uint32_t root() const { return root_; }
    /// Bytes that no edge tells apart are of one class, [0, classes()).
    [[nodiscard]] std::uint16_t classOf(std::uint8_t byte) const { return classOf_[byte]; }
    [[nodiscard]] std::uint16_t classes() const { return classes_; }
    /// Some byte of a class.
    [[nodiscard]] std::uint8_t byteOf(std::uint16_t byteClass) const { return byteOf_[byteClass]; }

  private:
    friend class PushdownBuilder;
    void findClasses();

    std::vector<PushdownState> states_;
    std::vector<std::uint32_t> starts_;  ///< of each rule
    std::uint32_t root_ = 0;
    std::uint16_t classes_ = 0;
    std::array<std::uint16_t, 256> classOf_{};
    std::array<std::uint8_t, 256> byteOf_{};
};

}  // namespace lacuna

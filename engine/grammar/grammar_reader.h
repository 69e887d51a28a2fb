#pragma once
/// \file
/// Reads a text byte by byte according to a grammar. The state is an integer that identifies the
/// set of all parser configurations possible after the text so far. Sets and transitions are
/// created on first use and cached, so that reading usually costs one table look-up per byte. Owned
/// by one thread.

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/base/result.h"
#include "engine/grammar/pushdown.h"

namespace lacuna {

class GrammarReader {
  public:
    using Place = std::uint32_t;
    static constexpr Place kNowhere = 0;         ///< no text of the grammar has this prefix
    static constexpr Place kSplit = 0xFFFFFFFE;  ///< no single state: see nextOfBroadClass

    explicit GrammarReader(std::shared_ptr<const Pushdown> grammar);

    [[nodiscard]] Place start() const { return start_; }
    /// Returns the state after one more byte.
    [[nodiscard]] Place next(Place place, std::uint8_t byte) {
        const Place known = transition(place, grammar_->classes().of[byte]);
        return known != kUnknown ? known : findNext(place, byte);
    }
    /// Same, for any byte of a class (Pushdown::classes).
    [[nodiscard]] Place nextOfClass(Place place, std::uint8_t byteClass) {
        const Place known = transition(place, byteClass);
        return known != kUnknown ? known
                                 : findNext(place, grammar_->classes().representatives[byteClass]);
    }
    /// Same, for any byte of a broad class (Pushdown::broadClasses). Returns kSplit if its bytes
    /// may lead to different states.
    [[nodiscard]] Place nextOfBroadClass(Place place, std::uint8_t byteClass) {
        const Place known = transition(place, grammar_->classes().count + std::size_t{byteClass});
        return known != kUnknown ? known : findBroad(place, byteClass);
    }
    [[nodiscard]] Place next(Place place, std::string_view bytes);
    /// Returns true if the text may end here.
    [[nodiscard]] bool mayEnd(Place place) const { return sets_[place].mayEnd; }
    /// Returns true if the text can only end here.
    [[nodiscard]] bool mustEnd(Place place) const {
        return sets_[place].mayEnd && sets_[place].threads.empty();
    }
    /// Number of cached states; each takes a few hundred bytes.
    [[nodiscard]] std::size_t places() const { return sets_.size(); }
    /// Clears the cache except for `place`, and returns its new number.
    [[nodiscard]] Place keepOnly(Place place);
    /// True once a text had more possible configurations than the limit; such states become
    /// kNowhere.
    [[nodiscard]] bool tooAmbiguous() const { return tooAmbiguous_; }
    /// Limits the total number of steps for creating states from this point on; unlimited by
    /// default.
    void allowSteps(std::uint64_t steps) { stepsLeft_ = steps; }
    /// True once the step limit was exceeded; new states are kNowhere from then on.
    [[nodiscard]] bool tooMuchWork() const { return tooMuchWork_; }
    /// Maximum number of configurations visited to create one state.
    static constexpr std::size_t kMaxMeanings = std::size_t{1} << 16;

  private:
    static constexpr Place kUnknown = 0xFFFFFFFF;
    /// Cost of a new state in addition to its configurations, mainly for its row of the transition
    /// table.
    static constexpr std::uint64_t kStepsPerState = 64;
    static constexpr std::uint32_t kBottom = 0;  ///< the empty return stack
    static constexpr std::size_t kBlock = 256;   ///< states per block of the transition table

    /// Parser configuration: state plus top of the return stack.
    struct Thread {
        std::uint32_t state = 0;
        std::uint32_t returns = kBottom;
        friend auto operator<=>(const Thread&, const Thread&) = default;
    };
    struct HashOfThreads {
        [[nodiscard]] std::size_t operator()(const std::vector<Thread>& threads) const;
    };
    struct Return {
        std::uint32_t state = 0;
        std::uint32_t older = kBottom;
    };
    struct Set {
        std::vector<Thread> threads;  ///< sorted; each can read some byte
        bool mayEnd = false;
    };

    void clear();
    /// Transition for a byte class: columns of fine classes come first, then broad ones. Blocks
    /// never move, because reallocating a large table would stall a long answer.
    [[nodiscard]] Place& transition(Place place, std::size_t column) {
        return transitions_[place / kBlock][place % kBlock * columns_ + column];
    }
    [[nodiscard]] Place findNext(Place place, std::uint8_t byte);
    [[nodiscard]] Place findBroad(Place place, std::uint8_t byteClass);
    [[nodiscard]] Place intern(std::vector<Thread> entries, bool mayEnd = false);
    [[nodiscard]] bool spend(std::uint64_t steps) {
        tooMuchWork_ = tooMuchWork_ || steps > stepsLeft_;
        if (!tooMuchWork_) stepsLeft_ -= steps;
        return !tooMuchWork_;
    }
    [[nodiscard]] std::uint32_t internReturn(std::uint32_t state, std::uint32_t older);

    std::shared_ptr<const Pushdown> grammar_;
    std::size_t columns_;
    std::vector<Return> returns_;
    std::unordered_map<std::uint64_t, std::uint32_t> returnIds_;
    std::deque<Set> sets_;
    std::unordered_multimap<std::uint64_t, Place> setIds_;  ///< keyed by hash of the set
    std::vector<std::vector<Place>> transitions_;           ///< [places / kBlock][kBlock, columns]
    /// States keyed by the configurations directly after a byte, because most bytes of a state lead
    /// to the same ones.
    std::unordered_map<std::vector<Thread>, Place, HashOfThreads> entered_;
    std::vector<Thread> entries_;
    std::vector<Thread> work_;
    std::unordered_set<std::uint64_t> seen_;
    Place start_ = kNowhere;
    bool tooAmbiguous_ = false;
    bool tooMuchWork_ = false;
    std::uint64_t stepsLeft_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace lacuna

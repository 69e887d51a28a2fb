#pragma once
/// \file
/// Reads a text byte by byte along a grammar. Where it stands is a number: the set of everything
/// the text so far can mean, each with the rules to return to. Sets and the ways between them are
/// made when they are first met and kept, so that reading becomes one table look-up a byte. Owned
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
    static constexpr Place kNowhere = 0;           ///< no text of the grammar begins like this
    static constexpr Place kParting = 0xFFFFFFFE;  ///< not one place: see nextOfBroadClass

    explicit GrammarReader(std::shared_ptr<const Pushdown> grammar);

    [[nodiscard]] Place start() const { return start_; }
    /// Where the text stands after one more byte.
    [[nodiscard]] Place next(Place place, std::uint8_t byte) {
        const Place known = way(place, grammar_->classes().of[byte]);
        return known != kUnknown ? known : findNext(place, byte);
    }
    /// The same for any byte of a class (Pushdown::classes).
    [[nodiscard]] Place nextOfClass(Place place, std::uint8_t byteClass) {
        const Place known = way(place, byteClass);
        return known != kUnknown ? known : findNext(place, grammar_->classes().some[byteClass]);
    }
    /// The same for any byte of a broad class (Pushdown::broadClasses), where all its bytes lead to
    /// one place for certain; else kParting.
    [[nodiscard]] Place nextOfBroadClass(Place place, std::uint8_t byteClass) {
        const Place known = way(place, grammar_->classes().count + std::size_t{byteClass});
        return known != kUnknown ? known : findBroad(place, byteClass);
    }
    [[nodiscard]] Place next(Place place, std::string_view bytes);
    /// Whether the text may end here.
    [[nodiscard]] bool mayEnd(Place place) const { return sets_[place].mayEnd; }
    /// Whether it can only end here.
    [[nodiscard]] bool mustEnd(Place place) const {
        return sets_[place].mayEnd && sets_[place].threads.empty();
    }
    /// Places met so far; each costs a few hundred bytes.
    [[nodiscard]] std::size_t places() const { return sets_.size(); }
    /// Forgets everything but `place`, which gets a new number.
    [[nodiscard]] Place forgetAllBut(Place place);
    /// Set when a text could mean more things at once than are followed; such places are nowhere.
    [[nodiscard]] bool tooAmbiguous() const { return tooAmbiguous_; }
    /// From here on, at most so many steps may be taken to make places; without it any number.
    void allowSteps(std::uint64_t steps) { stepsLeft_ = steps; }
    /// Set when the steps did not do: places are nowhere from then on.
    [[nodiscard]] bool tooMuchWork() const { return tooMuchWork_; }
    /// Most states that a place is looked for in.
    static constexpr std::size_t kMaxMeanings = std::size_t{1} << 16;

  private:
    static constexpr Place kUnknown = 0xFFFFFFFF;
    /// What a new place costs alongside its states: its row of the table of ways, mostly.
    static constexpr std::uint64_t kStepsOfAPlace = 64;
    static constexpr std::uint32_t kBottom = 0;  ///< the empty list of returns
    static constexpr std::size_t kBlock = 256;   ///< places whose ways lie together

    /// One meaning: a state and the newest of the returns after it.
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
        std::vector<Thread> threads;  ///< in order; each reads some byte
        bool mayEnd = false;
    };

    void clear();
    /// Where a byte of a class leads: fine classes first, then broad ones. Never moved: a long
    /// answer must not stand still while a table grows.
    [[nodiscard]] Place& way(Place place, std::size_t column) {
        return ways_[place / kBlock][place % kBlock * columns_ + column];
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
    std::unordered_multimap<std::uint64_t, Place> setIds_;  ///< by hash of the set
    std::vector<std::vector<Place>> ways_;                  ///< [places / kBlock][kBlock, columns]
    /// Places by the states right after a byte: most bytes of a place lead to the same ones.
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

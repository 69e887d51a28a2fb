#include "engine/generate/batch_step.h"

#include <algorithm>
#include <new>
#include <numeric>
#include <optional>

#include "engine/base/check.h"
#include "engine/base/clock.h"

namespace lacuna {
namespace {

/// Returns the indices of the requests: those that decode before those that read, each by waiting
/// time.
std::vector<std::size_t> inTurn(std::span<const StepRequest> requests) {
    std::vector<std::size_t> order(requests.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        if (requests[a].reading != requests[b].reading) return requests[b].reading;
        return requests[a].lastServed < requests[b].lastServed;
    });
    return order;
}

/// Divides the remaining room evenly among members with drafted tokens.
void shareOutProposals(std::span<const StepRequest> requests, std::vector<StepShare>& shares,
                       int left) {
    auto wanting = static_cast<int>(std::ranges::count_if(
        shares, [&](const StepShare& share) { return requests[share.member].proposals > 0; }));
    for (StepShare& share : shares) {
        const int wanted = requests[share.member].proposals;
        if (wanted == 0) continue;
        share.proposals = std::min(wanted, left / wanting--);
        left -= share.proposals;
    }
}

}  // namespace

std::vector<StepShare> planStep(std::span<const StepRequest> requests, int room) {
    LACUNA_REQUIRE(room >= 1, "a step has room for a token");
    std::vector<StepShare> shares;
    int left = room;
    for (const std::size_t member : inTurn(requests)) {
        const int tokens = std::min(requests[member].tokens, room);
        if (tokens > left) continue;
        shares.push_back({.member = member, .tokens = tokens});
        left -= tokens;
    }
    std::ranges::sort(shares, {}, &StepShare::member);
    shareOutProposals(requests, shares, left);
    return shares;
}

namespace {

/// A member and its share of the step.
struct Seat {
    std::size_t member;
    StepShare share;
    std::optional<PlannedStep> planned;
};

/// Runs a step in separate passes over its members, so that the step time of each covers what the
/// user waits for: first the forward pass and all draws, then all compactions.
class Step {
  public:
    Step(std::span<const BatchEntry> members, const StepContext& dependencies)
        : members_(members), dependencies_(dependencies), begin_(dependencies.clock.nowNs()) {}

    std::vector<EntryResult> take() {
        endThoseWithoutRoom();
        if (!done_.empty()) {
            compact();
            return std::move(done_);
        }
        seatTheOthers();
        const bool apart = seats_.size() == 1 || dependencies_.passes == StepPasses::Apart;
        if (apart || !together()) oneByOne();
        compact();
        std::ranges::sort(done_, {}, &EntryResult::member);
        return std::move(done_);
    }

  private:
    /// Runs `work` for a member and stores its result, converting bad_alloc to an error.
    template <class Work>
    void attempt(std::size_t member, const Work& work) {
        try {
            Result<GenerationStep> step = work();
            if (step || step.error().code != ErrorCode::Cancelled)
                done_.push_back({member, std::move(step)});
        } catch (const std::bad_alloc&) {
            done_.push_back({member,
                             fail(ErrorCode::NoMemory,
                                  "there is not enough memory for the next step of this answer"),
                             true});
        }
    }

    void endThoseWithoutRoom() {
        for (std::size_t i = 0; i < members_.size(); ++i)
            if (auto ended = members_[i].generation->endIfFull(members_[i].settings))
                done_.push_back({i, std::move(*ended)});
    }

    void seatTheOthers() {
        std::vector<StepRequest> requests;
        for (const BatchEntry& member : members_) {
            requests.push_back(member.generation->request(member.settings));
            requests.back().lastServed = member.lastServed;
        }
        for (const StepShare& share : planStep(requests, dependencies_.room))
            seats_.push_back({share.member, share, std::nullopt});
    }

    /// Runs one pass for all members. Returns false if it failed for a reason that may concern only
    /// one of them.
    [[nodiscard]] bool together() {
        const auto rows = forwardAll();
        if (!rows) {
            for (Seat& seat : seats_) seat.planned.reset();
            return rows.error().code == ErrorCode::Cancelled;
        }
        std::int64_t row = 0;
        for (Seat& seat : seats_) {
            const auto mine = rowsOf(*rows, row, seat.planned->run);
            row += mine.extent(0);
            attempt(seat.member, [&] {
                return of(seat).generation->take(*seat.planned, mine, of(seat).settings,
                                                 dependencies_.forward);
            });
        }
        stamp();
        return true;
    }

    [[nodiscard]] Result<View<const float, 2>> forwardAll() {
        try {
            std::vector<BatchRun> runs;
            for (Seat& seat : seats_) {
                LACUNA_TRY(PlannedStep planned,
                           of(seat).generation->plan(seat.share, of(seat).settings,
                                                     dependencies_.forward));
                runs.push_back(seat.planned.emplace(std::move(planned)).run);
            }
            return dependencies_.model.forward(runs, dependencies_.forward);
        } catch (const std::bad_alloc&) {
            return fail(ErrorCode::NoMemory, "there is not enough memory for this step");
        }
    }

    /// Returns the rows of one run among those of the step.
    [[nodiscard]] static View<const float, 2> rowsOf(View<const float, 2> rows, std::int64_t first,
                                                     const BatchRun& run) {
        std::int64_t count = 0;
        if (run.logits == LogitsFor::LastToken) count = 1;
        if (run.logits == LogitsFor::AllTokens)
            count = static_cast<std::int64_t>(run.tokens.size());
        return {rows.data() + first * rows.extent(1), {count, rows.extent(1)}};
    }

    /// Cancelling is possible until the first member has sampled: a step is undone for all members
    /// or for none.
    void oneByOne() {
        for (const Seat& seat : seats_) {
            const ForwardOptions options = done_.empty() ? dependencies_.forward : ForwardOptions{};
            attempt(seat.member, [&]() -> Result<GenerationStep> {
                LACUNA_TRY(PlannedStep planned,
                           of(seat).generation->plan(seat.share, of(seat).settings, options));
                LACUNA_TRY(const auto rows,
                           dependencies_.model.forward(std::span(&planned.run, 1), options));
                return of(seat).generation->take(planned, rows, of(seat).settings, options);
            });
            if (done_.empty()) return;  // cancelled
            stamp();
        }
    }

    void stamp() {
        const double ms = millisecondsSince(dependencies_.clock, begin_);
        for (EntryResult& one : done_)
            if (one.step && one.step->tokens > 0 && one.step->stepMs == 0) one.step->stepMs = ms;
    }

    void compact() {
        for (EntryResult& one : done_) {
            if (!one.step || (one.step->tokens == 0 && !one.step->finish)) continue;
            const BatchEntry& member = members_[one.member];
            try {
                member.generation->compact({dependencies_.model, dependencies_.forward,
                                            dependencies_.passBytes, member.policy},
                                           member.settings, *one.step);
            } catch (const std::bad_alloc&) {
                one.step = fail(ErrorCode::NoMemory,
                                "there is not enough memory to compact this conversation");
                one.inconsistent = true;
            }
        }
    }

    [[nodiscard]] const BatchEntry& of(const Seat& seat) const { return members_[seat.member]; }

    std::span<const BatchEntry> members_;
    const StepContext& dependencies_;
    const std::int64_t begin_;
    std::vector<Seat> seats_;
    std::vector<EntryResult> done_;
};

}  // namespace

std::vector<EntryResult> stepTogether(std::span<const BatchEntry> members,
                                      const StepContext& dependencies) {
    return Step(members, dependencies).take();
}

}  // namespace lacuna

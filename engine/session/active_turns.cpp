#include "engine/session/active_turns.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/clock.h"

namespace lacuna {

std::optional<Submit> ActiveTurns::next(int most) {
    if (static_cast<int>(running_.size()) >= most) return std::nullopt;
    const auto free = std::ranges::find_if(
        waiting_, [this](const Submit& question) { return !runs(question.conversation); });
    if (free == waiting_.end()) return std::nullopt;
    Submit question = std::move(*free);
    waiting_.erase(free);
    return question;
}

std::vector<ConversationId> ActiveTurns::withdraw(const ConversationFilter& which) {
    std::vector<ConversationId> withdrawn;
    std::erase_if(waiting_, [&](const Submit& question) {
        if (!which(question.conversation)) return false;
        withdrawn.push_back(question.conversation);
        return true;
    });
    return withdrawn;
}

Turn& ActiveTurns::begin(std::unique_ptr<Turn> turn) {
    LACUNA_REQUIRE(!runs(turn->conversation()), "a conversation has one answer at a time");
    running_.push_back({std::move(turn), steps_});
    return *running_.back().turn;
}

std::unique_ptr<Turn> ActiveTurns::remove(const Turn& turn) {
    const auto found = std::ranges::find_if(
        running_, [&](const Running& running) { return running.turn.get() == &turn; });
    LACUNA_REQUIRE(found != running_.end(), "only an answer in flight can end");
    std::unique_ptr<Turn> taken = std::move(found->turn);
    running_.erase(found);
    return taken;
}

std::vector<Turn*> ActiveTurns::running() const {
    std::vector<Turn*> turns;
    for (const Running& running : running_) turns.push_back(running.turn.get());
    return turns;
}

void ActiveTurns::countCompaction(ConversationId conversation) {
    for (const Running& running : running_)
        if (running.turn->conversation() == conversation) running.turn->countCompaction();
}

bool ActiveTurns::runs(ConversationId conversation) const {
    return std::ranges::any_of(running_, [&](const Running& running) {
        return running.turn->conversation() == conversation;
    });
}

bool ActiveTurns::anyReading() const {
    return std::ranges::any_of(running_,
                               [](const Running& running) { return running.turn->inPrefill(); });
}

int ActiveTurns::largestChunk() const {
    int largest = 0;
    for (const Running& running : running_) largest = std::max(largest, running.turn->chunk());
    return largest;
}

std::vector<TurnStep> ActiveTurns::step(const ConfigOf& config, const PolicyOf& policy,
                                        const StepContext& dependencies) {
    std::vector<BatchEntry> members;
    for (const Running& running : running_) {
        const ConversationId id = running.turn->conversation();
        members.push_back(running.turn->member(config(id), running.lastServed));
        members.back().policy = policy(id);
    }
    const std::int64_t begin = dependencies.clock.nowNs();
    std::vector<EntryResult> done = stepTogether(members, dependencies);
    const double seconds = secondsSince(dependencies.clock, begin);
    if (!done.empty()) ++steps_;
    std::vector<TurnStep> steps;
    for (EntryResult& one : done) {
        Running& running = running_[one.member];
        running.lastServed = steps_;
        steps.push_back({running.turn.get(), std::move(one.step), one.inconsistent, seconds});
    }
    return steps;
}

}  // namespace lacuna

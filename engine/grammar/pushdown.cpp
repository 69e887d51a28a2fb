// Every node of the tree becomes a few states between an entry and an exit (Thompson 1968). Three
// linear passes over the states follow: removing edges to rules that match no text, finding states
// reachable before a byte is read, and detecting left recursion, which a reader would follow
// forever.

#include "engine/grammar/pushdown.h"

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

/// Boundaries of the encoded lengths one, two and three, of the surrogates, and of the code space.
constexpr std::array<CharRange, 5> kSections{
    {{0, 0x7F}, {0x80, 0x7FF}, {0x800, 0xD7FF}, {0xE000, 0xFFFF}, {0x10000, kLastChar}}};

std::vector<std::uint8_t> bytesOf(std::uint32_t c) {
    const auto low = [](std::uint32_t bits) {
        return static_cast<std::uint8_t>(0x80 | (bits & 0x3F));
    };
    if (c < 0x80) return {static_cast<std::uint8_t>(c)};
    if (c < 0x800) return {static_cast<std::uint8_t>(0xC0 | (c >> 6)), low(c)};
    if (c < 0x10000) return {static_cast<std::uint8_t>(0xE0 | (c >> 12)), low(c >> 6), low(c)};
    return {static_cast<std::uint8_t>(0xF0 | (c >> 18)), low(c >> 12), low(c >> 6), low(c)};
}

/// Characters of equal length whose trailing bytes cover the full range form one run; other ranges
/// are split there.
void addRuns(CharRange range, std::size_t length, std::vector<ByteRun>& out) {
    for (std::size_t trailing = 1; trailing < length; ++trailing) {
        const std::uint32_t mask = (1U << (6 * trailing)) - 1;
        if ((range.first & ~mask) == (range.last & ~mask)) continue;
        if ((range.first & mask) != 0) {
            addRuns({range.first, range.first | mask}, length, out);
            addRuns({(range.first | mask) + 1, range.last}, length, out);
            return;
        }
        if ((range.last & mask) != mask) {
            addRuns({range.first, (range.last & ~mask) - 1}, length, out);
            addRuns({range.last & ~mask, range.last}, length, out);
            return;
        }
    }
    const auto first = bytesOf(range.first);
    const auto last = bytesOf(range.last);
    ByteRun run;
    for (std::size_t i = 0; i < length; ++i) run.push_back({first[i], last[i]});
    out.push_back(std::move(run));
}

}  // namespace

std::vector<ByteRun> byteRuns(CharRange range) {
    std::vector<ByteRun> runs;
    for (const CharRange& section : kSections) {
        const CharRange part{std::max(range.first, section.first),
                             std::min(range.last, section.last)};
        if (part.first <= part.last) addRuns(part, bytesOf(section.first).size(), runs);
    }
    return runs;
}

class PushdownBuilder {
  public:
    PushdownBuilder(const GrammarTree& tree, WorkBudget& work) : tree_(tree), work_(work) {}

    [[nodiscard]] Result<std::shared_ptr<const Pushdown>> build() {
        for (std::size_t rule = 0; rule < tree_.rules.size(); ++rule) {
            const std::uint32_t start = add();
            const std::uint32_t end = place(tree_.rules[rule].body, start);
            if (full_)
                return fail(ErrorCode::InvalidArgument,
                            format("the grammar is too large at rule {}: more than {} states",
                                   tree_.rules[rule].name, Pushdown::kMaxStates));
            LACUNA_TRY_STATUS(workStatus());
            states()[end].final = true;
            out_->starts_.push_back(start);
        }
        out_->root_ = static_cast<std::uint32_t>(tree_.root);
        ownRules();
        LACUNA_TRY_STATUS(dropBarren());
        LACUNA_TRY_STATUS(refuseLeftRecursion());
        markTails();
        LACUNA_TRY_STATUS(out_->findClasses(work_));
        return std::shared_ptr<const Pushdown>(std::move(out_));
    }

  private:
    [[nodiscard]] std::vector<PushdownState>& states() { return out_->states_; }

    std::uint32_t add() {
        full_ = full_ || states().size() >= Pushdown::kMaxStates;
        if (full_) return 0;
        states().emplace_back();
        return static_cast<std::uint32_t>(states().size() - 1);
    }
    void join(std::uint32_t from, std::uint32_t to) { states()[from].empty.push_back(to); }
    /// Returns true if construction must stop because of too many states or too much work.
    [[nodiscard]] bool done() const { return full_ || work_.over(); }
    [[nodiscard]] Status workStatus() const {
        return work_.status(
            ErrorCode::InvalidArgument,
            format("the grammar takes more than {} steps to build; nest fewer repetitions",
                   work_.limit()));
    }

    /// Adds states for `node` starting at `from`, and returns the final one.
    std::uint32_t place(const GrammarNode& node, std::uint32_t from) {
        if (done() || !work_.spend()) return from;
        switch (node.kind) {
            case GrammarNode::Kind::Literal:
                return placeLiteral(node.text, from);
            case GrammarNode::Kind::Chars:
                return placeChars(node.ranges, from);
            case GrammarNode::Kind::Rule: {
                const std::uint32_t behind = add();
                states()[from].calls.push_back({static_cast<std::uint32_t>(node.rule), behind});
                return behind;
            }
            case GrammarNode::Kind::Sequence:
                for (const GrammarNode& part : node.parts) from = place(part, from);
                return from;
            case GrammarNode::Kind::Choice:
                return placeChoice(node, from);
            case GrammarNode::Kind::Repeat:
                return placeRepeat(node, from);
        }
        return from;
    }

    std::uint32_t placeLiteral(const std::string& text, std::uint32_t from) {
        for (const char c : text) {
            if (full_) break;
            from = placeByte(static_cast<std::uint8_t>(c), from);
        }
        return from;
    }

    std::uint32_t placeByte(std::uint8_t byte, std::uint32_t from) {
        const std::uint32_t next = add();
        states()[from].bytes.push_back({byte, byte, next});
        return next;
    }

    /// Characters with the same leading bytes share states, so that no state has more edges than
    /// there are bytes, however long the class is.
    std::uint32_t placeChars(const std::vector<CharRange>& ranges, std::uint32_t from) {
        const std::uint32_t end = add();
        ByteRun path;                            // leading byte ranges of the previous run
        std::vector<std::uint32_t> at = {from};  // the states along them
        for (const CharRange& range : merged(ranges)) {
            for (const ByteRun& run : byteRuns(range)) {
                if (done() || !work_.spend(run.size())) return end;
                std::size_t common = 0;
                while (common + 1 < run.size() && common < path.size() &&
                       run[common] == path[common])
                    ++common;
                path.assign(run.begin(), std::prev(run.end()));
                at.resize(common + 1);
                for (std::size_t i = common; i < run.size(); ++i) {
                    const std::uint32_t next = i + 1 == run.size() ? end : add();
                    states()[at[i]].bytes.push_back({run[i].first, run[i].last, next});
                    at.push_back(next);
                }
            }
        }
        return end;
    }

    /// Returns the same characters in order, without overlaps.
    [[nodiscard]] static std::vector<CharRange> merged(std::vector<CharRange> ranges) {
        std::ranges::sort(ranges, {}, &CharRange::first);
        std::vector<CharRange> out;
        for (const CharRange& range : ranges) {
            if (!out.empty() && range.first <= out.back().last + 1)
                out.back().last = std::max(out.back().last, range.last);
            else
                out.push_back(range);
        }
        return out;
    }

    std::uint32_t placeChoice(const GrammarNode& node, std::uint32_t from) {
        const std::uint32_t end = add();
        if (std::ranges::all_of(node.parts,
                                [](const GrammarNode& part) { return wordOf(part) != nullptr; })) {
            placeWords(node.parts, from, end);
            return end;
        }
        for (const GrammarNode& part : node.parts) {
            if (done()) break;
            const std::uint32_t begin = add();
            join(from, begin);
            join(place(part, begin), end);
        }
        return end;
    }

    /// Returns the text of a part that is only a literal; null for others.
    [[nodiscard]] static const std::string* wordOf(const GrammarNode& part) {
        if (part.kind == GrammarNode::Kind::Literal) return &part.text;
        const bool one = part.kind == GrammarNode::Kind::Sequence && part.parts.size() == 1;
        return one && part.parts.front().kind == GrammarNode::Kind::Literal
                   ? &part.parts.front().text
                   : nullptr;
    }

    /// Fixed texts share the states of common prefixes, so that a reader follows one of ten
    /// thousand listed values rather than all.
    void placeWords(const std::vector<GrammarNode>& parts, std::uint32_t from, std::uint32_t end) {
        std::vector<std::string_view> words;
        words.reserve(parts.size());
        for (const GrammarNode& part : parts) words.emplace_back(*wordOf(part));
        std::ranges::sort(words);
        words.erase(std::unique(words.begin(), words.end()), words.end());
        std::vector<std::uint32_t> at = {from};  // the states along the previous word
        std::string_view before;
        for (const std::string_view word : words) {
            if (done() || !work_.spend(word.size() + 1)) return;
            const auto common =
                static_cast<std::size_t>(std::ranges::mismatch(before, word).in1 - before.begin());
            at.resize(common + 1);
            for (const char c : word.substr(common)) {
                if (full_) return;
                at.push_back(placeByte(static_cast<std::uint8_t>(c), at.back()));
            }
            join(at.back(), end);
            before = word;
        }
    }

    std::uint32_t placeRepeat(const GrammarNode& node, std::uint32_t from) {
        const GrammarNode& part = node.parts.front();
        for (int i = 0; i < node.least && !done(); ++i) from = place(part, from);
        const std::uint32_t end = add();
        if (node.most == GrammarNode::kUnbounded) {
            const std::uint32_t loop = add();
            join(from, loop);
            join(place(part, loop), loop);
            join(loop, end);
            return end;
        }
        for (int i = node.least; i < node.most && !done(); ++i) {
            join(from, end);
            const std::uint32_t next = add();
            join(from, next);
            from = place(part, next);
        }
        join(from, end);
        return end;
    }

    /// Determines the rule of each state; the states of a rule are contiguous.
    void ownRules() {
        owner_.resize(states().size());
        for (std::size_t rule = 0; rule < out_->starts_.size(); ++rule) {
            const std::size_t end =
                rule + 1 < out_->starts_.size() ? out_->starts_[rule + 1] : states().size();
            for (std::size_t s = out_->starts_[rule]; s < end; ++s)
                owner_[s] = static_cast<std::uint32_t>(rule);
        }
    }

    /// Reverse edges: the predecessors of a state, and the callers of a rule.
    struct Waiting {
        std::vector<std::vector<std::uint32_t>> before;  ///< predecessors of each state within its
                                                         ///< rule
        /// Callers of each rule: the calling state and the state after the call.
        std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> callers;
    };
    [[nodiscard]] Waiting waiting() {
        Waiting out{std::vector<std::vector<std::uint32_t>>(states().size()),
                    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>>(
                        out_->starts_.size())};
        for (std::uint32_t s = 0; s < states().size() && work_.spend(); ++s) {
            for (const ByteEdge& edge : states()[s].bytes) out.before[edge.target].push_back(s);
            for (const std::uint32_t target : states()[s].empty) out.before[target].push_back(s);
            for (const CallEdge& call : states()[s].calls)
                out.callers[call.rule].emplace_back(s, call.behind);
        }
        return out;
    }

    /// Removes edges to states from which the end of the rule cannot be reached.
    [[nodiscard]] Status dropBarren() {
        const Waiting waits = waiting();
        LACUNA_TRY_STATUS(workStatus());
        std::vector<bool> fertile(states().size());
        std::vector<std::vector<std::uint32_t>> callsBehind(states().size());
        for (std::uint32_t s = 0; s < states().size(); ++s)
            for (const CallEdge& call : states()[s].calls) callsBehind[call.behind].push_back(s);
        std::deque<std::uint32_t> work;
        const auto mark = [&](std::uint32_t s) {
            if (fertile[s]) return;
            fertile[s] = true;
            work.push_back(s);
        };
        const auto ruleLives = [&](std::uint32_t rule) { return fertile[out_->starts_[rule]]; };
        for (std::uint32_t s = 0; s < states().size(); ++s)
            if (states()[s].final) mark(s);
        while (!work.empty() && work_.spend()) {
            const std::uint32_t s = work.front();
            work.pop_front();
            for (const std::uint32_t before : waits.before[s]) mark(before);
            for (const std::uint32_t caller : callsBehind[s])
                for (const CallEdge& call : states()[caller].calls)
                    if (call.behind == s && ruleLives(call.rule)) mark(caller);
            if (out_->starts_[owner_[s]] != s) continue;
            for (const auto& [caller, behind] : waits.callers[owner_[s]])
                if (fertile[behind]) mark(caller);
        }
        LACUNA_TRY_STATUS(workStatus());
        for (PushdownState& state : states()) {
            std::erase_if(state.bytes, [&](const ByteEdge& e) { return !fertile[e.target]; });
            std::erase_if(state.empty, [&](std::uint32_t target) { return !fertile[target]; });
            std::erase_if(state.calls, [&](const CallEdge& call) {
                return !fertile[call.behind] || !ruleLives(call.rule);
            });
        }
        if (ruleLives(out_->root_)) return {};
        return fail(ErrorCode::InvalidArgument,
                    format("the grammar matches no text: rule {} never ends",
                           tree_.rules[tree_.root].name));
    }

    /// Determines which states are reachable from the start of their rule before a byte is read. A
    /// rule found to be nullable reactivates earlier calls of it.
    [[nodiscard]] std::vector<bool> beforeFirstByte() {
        const Waiting waits = waiting();
        std::vector<bool> reached(states().size());
        std::vector<bool> nullable(out_->starts_.size());
        std::vector<std::uint32_t> work;
        const auto reach = [&](std::uint32_t s) {
            if (reached[s]) return;
            reached[s] = true;
            work.push_back(s);
        };
        for (const std::uint32_t start : out_->starts_) reach(start);
        while (!work.empty() && work_.spend()) {
            const std::uint32_t s = work.back();
            work.pop_back();
            for (const std::uint32_t target : states()[s].empty) reach(target);
            for (const CallEdge& call : states()[s].calls)
                if (nullable[call.rule]) reach(call.behind);
            if (!states()[s].final || nullable[owner_[s]]) continue;
            nullable[owner_[s]] = true;
            for (const auto& [caller, behind] : waits.callers[owner_[s]])
                if (reached[caller]) reach(behind);
        }
        return reached;
    }

    [[nodiscard]] Status refuseLeftRecursion() {
        const auto count = static_cast<std::uint32_t>(out_->starts_.size());
        const std::vector<bool> reached = beforeFirstByte();
        LACUNA_TRY_STATUS(workStatus());
        std::vector<std::set<std::uint32_t>> begins(count);  // rules that a rule may begin with
        std::vector<std::vector<std::uint32_t>> begunBy(count);
        for (std::uint32_t s = 0; s < states().size(); ++s)
            if (reached[s])
                for (const CallEdge& call : states()[s].calls) begins[owner_[s]].insert(call.rule);
        std::vector<std::size_t> open(count);
        std::deque<std::uint32_t> work;
        for (std::uint32_t rule = 0; rule < count; ++rule) {
            open[rule] = begins[rule].size();
            for (const std::uint32_t first : begins[rule]) begunBy[first].push_back(rule);
            if (open[rule] == 0) work.push_back(rule);
        }
        std::size_t done = 0;
        for (; !work.empty(); work.pop_front(), ++done)
            for (const std::uint32_t rule : begunBy[work.front()])
                if (--open[rule] == 0) work.push_back(rule);
        if (done == count) return {};
        const auto circle = std::ranges::find_if(open, [](std::size_t n) { return n > 0; });
        return fail(ErrorCode::InvalidArgument,
                    format("rule {} is left-recursive; write the repetition as ( ... )*",
                           tree_.rules[static_cast<std::size_t>(circle - open.begin())].name));
    }

    void markTails() {
        const auto bare = [](const PushdownState& s) { return s.bytes.empty() && s.calls.empty(); };
        for (std::uint32_t s = 0; s < states().size(); ++s) {
            std::uint32_t at = s;
            for (int steps = 0; steps < 64; ++steps) {  // a longer chain only costs a return
                const PushdownState& state = states()[at];
                if (!bare(state)) break;
                if (state.final && state.empty.empty()) {
                    states()[s].tail = true;
                    break;
                }
                if (state.final || state.empty.size() != 1) break;
                at = state.empty.front();
            }
        }
    }

    const GrammarTree& tree_;
    WorkBudget& work_;
    std::shared_ptr<Pushdown> out_ = std::make_shared<Pushdown>();
    std::vector<std::uint32_t> owner_;
    bool full_ = false;
};

Result<std::shared_ptr<const Pushdown>> Pushdown::compile(const GrammarTree& tree,
                                                          WorkBudget& work) {
    return PushdownBuilder(tree, work).build();
}

Result<std::shared_ptr<const Pushdown>> Pushdown::compile(const GrammarTree& tree) {
    WorkBudget work(kFormSteps);
    return compile(tree, work);
}

Status Pushdown::findClasses(WorkBudget& work) {
    ByteShapes shapes;
    for (PushdownState& state : states_) {
        state.shape = shapes.add(state.bytes);
        if (shapes.count() > kMaxShapes)
            return fail(ErrorCode::InvalidArgument,
                        format("the grammar distinguishes more than {} classes of bytes; use fewer "
                               "different character classes",
                               kMaxShapes));
        work.spend();
        LACUNA_TRY_STATUS(
            work.status(ErrorCode::InvalidArgument, "the grammar takes too long to build"));
    }
    classes_ = shapes.fine();
    broad_ = shapes.broad();
    splitClasses_ = shapes.splitClasses(broad_);
    return {};
}

}  // namespace lacuna

// Every node of the tree becomes a few states between an entry and an exit (Thompson 1968). Three
// passes over the states follow: which rules can spell anything at all (edges into others go),
// which can be empty, and whether one can begin with itself before it has read a byte: a reader
// would call it for ever.

#include "engine/grammar/pushdown.h"

#include <algorithm>
#include <deque>
#include <set>

#include "engine/base/string_format.h"
#include "engine/grammar/utf8_ranges.h"

namespace lacuna {

class PushdownBuilder {
  public:
    explicit PushdownBuilder(const GrammarTree& tree) : tree_(tree) {}

    [[nodiscard]] Result<std::shared_ptr<const Pushdown>> build() {
        for (std::size_t rule = 0; rule < tree_.rules.size(); ++rule) {
            const std::uint32_t start = add();
            const std::uint32_t end = place(tree_.rules[rule].body, start);
            if (full_)
                return fail(ErrorCode::InvalidArgument,
                            format("the grammar is too large at rule {}: more than {} states",
                                   tree_.rules[rule].name, Pushdown::kMostStates));
            states()[end].final = true;
            out_->starts_.push_back(start);
        }
        out_->root_ = static_cast<std::uint32_t>(tree_.root);
        ownRules();
        LACUNA_TRY_STATUS(dropBarren());
        LACUNA_TRY_STATUS(refuseLeftRecursion());
        markTails();
        out_->findClasses();
        return std::shared_ptr<const Pushdown>(std::move(out_));
    }

  private:
    [[nodiscard]] std::vector<PushdownState>& states() { return out_->states_; }

    std::uint32_t add() {
        full_ = full_ || states().size() >= Pushdown::kMostStates;
        if (full_) return 0;
        states().emplace_back();
        return static_cast<std::uint32_t>(states().size() - 1);
    }
    void join(std::uint32_t from, std::uint32_t to) { states()[from].empty.push_back(to); }

    /// States for `node` from `from` on; the state behind it.
    std::uint32_t place(const GrammarNode& node, std::uint32_t from) {
        if (full_) return from;
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
            const std::uint32_t next = add();
            const auto byte = static_cast<std::uint8_t>(c);
            states()[from].bytes.push_back({byte, byte, next});
            from = next;
        }
        return from;
    }

    std::uint32_t placeChars(const std::vector<CharRange>& ranges, std::uint32_t from) {
        const std::uint32_t end = add();
        for (const CharRange& range : ranges) {
            for (const ByteRun& run : byteRuns(range)) {
                std::uint32_t at = from;
                for (std::size_t i = 0; i < run.size(); ++i) {
                    const std::uint32_t next = i + 1 == run.size() ? end : add();
                    states()[at].bytes.push_back({run[i].first, run[i].last, next});
                    at = next;
                }
            }
        }
        return end;
    }

    std::uint32_t placeChoice(const GrammarNode& node, std::uint32_t from) {
        const std::uint32_t end = add();
        for (const GrammarNode& part : node.parts) {
            const std::uint32_t begin = add();
            join(from, begin);
            join(place(part, begin), end);
        }
        return end;
    }

    std::uint32_t placeRepeat(const GrammarNode& node, std::uint32_t from) {
        const GrammarNode& part = node.parts.front();
        for (int i = 0; i < node.least && !full_; ++i) from = place(part, from);
        const std::uint32_t end = add();
        if (node.most == GrammarNode::kUnbounded) {
            const std::uint32_t loop = add();
            join(from, loop);
            join(place(part, loop), loop);
            join(loop, end);
            return end;
        }
        for (int i = node.least; i < node.most && !full_; ++i) {
            join(from, end);
            const std::uint32_t next = add();
            join(from, next);
            from = place(part, next);
        }
        join(from, end);
        return end;
    }

    /// The rule of each state: rules were placed one after the other.
    void ownRules() {
        owner_.resize(states().size());
        for (std::size_t rule = 0; rule < out_->starts_.size(); ++rule) {
            const std::size_t end =
                rule + 1 < out_->starts_.size() ? out_->starts_[rule + 1] : states().size();
            for (std::size_t s = out_->starts_[rule]; s < end; ++s)
                owner_[s] = static_cast<std::uint32_t>(rule);
        }
    }

    /// Who is waited for: states that lead to a state, and states that call a rule.
    struct Waiting {
        std::vector<std::vector<std::uint32_t>> before;  ///< by state, within its rule
        /// By rule: the states behind a call of it, with the calling state.
        std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> callers;
    };
    [[nodiscard]] Waiting waiting() {
        Waiting out{std::vector<std::vector<std::uint32_t>>(states().size()),
                    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>>(
                        out_->starts_.size())};
        for (std::uint32_t s = 0; s < states().size(); ++s) {
            for (const ByteEdge& edge : states()[s].bytes) out.before[edge.target].push_back(s);
            for (const std::uint32_t target : states()[s].empty) out.before[target].push_back(s);
            for (const CallEdge& call : states()[s].calls)
                out.callers[call.rule].emplace_back(s, call.behind);
        }
        return out;
    }

    /// Removes edges to states from which no end of the rule can be reached.
    [[nodiscard]] Status dropBarren() {
        const Waiting waits = waiting();
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
        while (!work.empty()) {
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
        for (PushdownState& state : states()) {
            std::erase_if(state.bytes, [&](const ByteEdge& e) { return !fertile[e.target]; });
            std::erase_if(state.empty, [&](std::uint32_t target) { return !fertile[target]; });
            std::erase_if(state.calls, [&](const CallEdge& call) {
                return !fertile[call.behind] || !ruleLives(call.rule);
            });
        }
        if (ruleLives(out_->root_)) return {};
        return fail(ErrorCode::InvalidArgument,
                    format("the grammar spells no text: rule {} never comes to an end",
                           tree_.rules[tree_.root].name));
    }

    /// States reached from the start of a rule before a byte is read.
    template <class Visit>
    void beforeFirstByte(std::uint32_t rule, const std::vector<bool>& nullable, Visit visit) {
        std::vector<std::uint32_t> work{out_->starts_[rule]};
        std::set<std::uint32_t> seen(work.begin(), work.end());
        while (!work.empty()) {
            const std::uint32_t s = work.back();
            work.pop_back();
            visit(states()[s]);
            std::vector<std::uint32_t> next = states()[s].empty;
            for (const CallEdge& call : states()[s].calls)
                if (nullable[call.rule]) next.push_back(call.behind);
            for (const std::uint32_t target : next)
                if (seen.insert(target).second) work.push_back(target);
        }
    }

    [[nodiscard]] std::vector<bool> nullableRules() {
        const auto count = static_cast<std::uint32_t>(out_->starts_.size());
        std::vector<bool> nullable(count);
        for (bool changed = true; changed;) {
            changed = false;
            for (std::uint32_t rule = 0; rule < count; ++rule) {
                if (nullable[rule]) continue;
                bool ends = false;
                beforeFirstByte(rule, nullable,
                                [&](const PushdownState& s) { ends = ends || s.final; });
                nullable[rule] = ends;
                changed = changed || ends;
            }
        }
        return nullable;
    }

    [[nodiscard]] Status refuseLeftRecursion() {
        const auto count = static_cast<std::uint32_t>(out_->starts_.size());
        const std::vector<bool> nullable = nullableRules();
        std::vector<std::set<std::uint32_t>> begins(count);  // rules that a rule may begin with
        std::vector<std::vector<std::uint32_t>> begunBy(count);
        for (std::uint32_t rule = 0; rule < count; ++rule)
            beforeFirstByte(rule, nullable, [&](const PushdownState& s) {
                for (const CallEdge& call : s.calls) begins[rule].insert(call.rule);
            });
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
                    format("rule {} can begin with itself before it has read anything; write the "
                           "repetition as ( ... )*",
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
    std::shared_ptr<Pushdown> out_ = std::make_shared<Pushdown>();
    std::vector<std::uint32_t> owner_;
    bool full_ = false;
};

Result<std::shared_ptr<const Pushdown>> Pushdown::compile(const GrammarTree& tree) {
    return PushdownBuilder(tree).build();
}

void Pushdown::findClasses() {
    ByteShapes shapes;
    for (PushdownState& state : states_) state.shape = shapes.add(state.bytes);
    classes_ = shapes.fine();
    broad_ = shapes.broad();
    parting_ = shapes.parting(broad_);
}

}  // namespace lacuna

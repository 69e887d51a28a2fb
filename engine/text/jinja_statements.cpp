#include "engine/text/jinja_evaluator.h"

// What the statements of a template do: write, choose, repeat, assign.

namespace lacuna::jinja {

Status Evaluator::write(Place place, const MarkedText& text) {
    out_.append(text);
    auto size = checkTextSize(out_.size());
    if (size) return {};
    return placed(std::move(size).error(), place);
}

Status Evaluator::assign(const Statement& s, const std::vector<std::string>& names, Value value) {
    if (names.size() == 1) {
        newest()[names[0]] = std::move(value);
        return {};
    }
    LACUNA_TRY(const Value::ListPtr parts, at(s.place, elements(value)));
    if (parts->size() != names.size())
        return failAt(s.place, ErrorCode::TplRuntime,
                      format("{} values for {} variables", parts->size(), names.size()));
    for (std::size_t i = 0; i < names.size(); ++i) newest()[names[i]] = (*parts)[i];
    return {};
}

Result<Flow> Evaluator::execBlock(const Block& block) {
    const Depth depth(depth_);
    for (const Statement& statement : block) {
        LACUNA_TRY_STATUS(checkDepth(statement.place));
        LACUNA_TRY_STATUS(step(statement.place));
        LACUNA_TRY(const Flow flow, exec(statement));
        if (flow != Flow::Next) return flow;
    }
    return Flow::Next;
}

Result<Flow> Evaluator::exec(const Statement& s) {
    switch (s.kind) {
        case Statement::Kind::Data:
            LACUNA_TRY_STATUS(write(s.place, MarkedText(s.text)));
            return Flow::Next;
        case Statement::Kind::Output: {
            LACUNA_TRY(const Value value, eval(*s.value));
            LACUNA_TRY(const MarkedText text, at(s.place, toText(value)));
            LACUNA_TRY_STATUS(write(s.place, text));
            return Flow::Next;
        }
        case Statement::Kind::If:
            return execIf(s);
        case Statement::Kind::For:
            return execFor(s);
        case Statement::Kind::Set:
            LACUNA_TRY_STATUS(execSet(s));
            return Flow::Next;
        case Statement::Kind::SetBlock: {
            LACUNA_TRY(MarkedText text, captured(s.body));
            LACUNA_TRY_STATUS(assign(s, s.targets, Value::text(std::move(text))));
            return Flow::Next;
        }
        case Statement::Kind::Macro:
            newest()[s.text] = Value(Value::Held(&s));
            return Flow::Next;
        case Statement::Kind::Group:
            return execBlock(s.body);
        case Statement::Kind::Break:
            return Flow::Break;
        case Statement::Kind::Continue:
            return Flow::Continue;
    }
    return Flow::Next;
}

Result<Flow> Evaluator::execIf(const Statement& s) {
    for (const Branch& branch : s.branches) {
        if (branch.condition) {
            LACUNA_TRY(const Value condition, eval(*branch.condition));
            if (!condition.truthy()) continue;
        }
        return execBlock(branch.body);
    }
    return Flow::Next;
}

Result<Value::ListPtr> Evaluator::loopItems(const Statement& s) {
    LACUNA_TRY(const Value iterated, eval(*s.value));
    LACUNA_TRY(const Value::ListPtr all, at(s.place, elements(iterated)));
    if (!s.condition) return all;
    List kept;
    for (const Value& item : *all) {
        LACUNA_TRY_STATUS(step(s.place));
        frames_.emplace_back();
        auto assigned = assign(s, s.targets, item);
        auto passes =
            assigned ? eval(*s.condition) : Result<Value>(tl::unexpected<Error>(assigned.error()));
        frames_.pop_back();
        LACUNA_TRY(const Value yes, std::move(passes));
        if (yes.truthy()) kept.push_back(item);
    }
    return std::make_shared<const List>(std::move(kept));
}

Result<Flow> Evaluator::execFor(const Statement& s) {
    LACUNA_TRY(const Value::ListPtr items, loopItems(s));
    if (items->empty()) return execBlock(s.otherwise);
    int itemDepth = 0;
    for (const Value& item : *items) itemDepth = std::max(itemDepth, item.depth());
    ++loopDepth_;
    Result<Flow> flow = Flow::Next;
    for (std::size_t i = 0; i < items->size() && flow && *flow != Flow::Break; ++i) {
        frames_.emplace_back();
        flow = loopRound(s, {items, i, loopDepth_, itemDepth});
        frames_.pop_back();
    }
    --loopDepth_;
    if (!flow) return flow;
    return Flow::Next;
}

Result<Flow> Evaluator::loopRound(const Statement& s, LoopState state) {
    LACUNA_TRY_STATUS(step(s.place));
    const Value item = (*state.items)[state.index];
    newest()["loop"] = Value::loop(std::move(state));
    LACUNA_TRY_STATUS(assign(s, s.targets, item));
    return execBlock(s.body);
}

Status Evaluator::execSet(const Statement& s) {
    LACUNA_TRY(Value value, eval(*s.value));
    if (s.attribute.empty()) return assign(s, s.targets, std::move(value));
    const Value target = lookUp(s.targets[0]);
    const auto* space = std::get_if<Value::NamespacePtr>(&target.held());
    if (!space)
        return failAt(s.place, ErrorCode::TplRuntime,
                      format("\"{}\" is a {}; only a namespace takes attributes", s.targets[0],
                             target.kindName()));
    (**space)[s.attribute] = std::move(value);
    return {};
}

Result<MarkedText> Evaluator::captured(const Block& body) {
    MarkedText outer = std::move(out_);
    out_ = MarkedText();
    auto flow = execBlock(body);
    MarkedText text = std::move(out_);
    out_ = std::move(outer);
    if (!flow) return tl::unexpected<Error>(std::move(flow).error());
    return text;
}

}  // namespace lacuna::jinja

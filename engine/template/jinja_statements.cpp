#include "engine/template/jinja_evaluator.h"

// What the statements of a template do: write, choose, assign.

namespace lacuna::jinja {

Status Evaluator::write(Place place, const MarkedText& text) {
    work_.spend(stepsOfBytes(text.size()));
    out_.append(text);
    auto size = checkTextSize(out_.size());
    if (size) return {};
    return placed(std::move(size).error(), place);
}

Status Evaluator::assign(Place place, const Target& target, Value value) {
    if (target.parts.empty()) {
        newest()[target.name] = std::move(value);
        return {};
    }
    LACUNA_TRY(const Value::ListPtr parts, at(place, elements(value, &work_)));
    if (parts->size() != target.parts.size())
        return failAt(place, ErrorCode::TplRuntime,
                      format("{} values for {} variables", parts->size(), target.parts.size()));
    for (std::size_t i = 0; i < target.parts.size(); ++i)
        LACUNA_TRY_STATUS(assign(place, target.parts[i], (*parts)[i]));
    return {};
}

Status Evaluator::assignTo(const Statement& s, Value value) {
    if (s.attribute.empty()) return assign(s.place, s.target, std::move(value));
    const Value target = lookUp(s.target.name);
    const auto* space = std::get_if<Value::NamespacePtr>(&target.held());
    if (!space)
        return failAt(s.place, ErrorCode::TplRuntime,
                      format("\"{}\" is a {}; only a namespace takes attributes", s.target.name,
                             target.kindName()));
    (**space)[s.attribute] = std::move(value);
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
        case Statement::Kind::If:
            return execIf(s);
        case Statement::Kind::For:
            return execFor(s);
        case Statement::Kind::With:
            return execWith(s);
        case Statement::Kind::Group: {
            const Scope scope(*this, top());
            return execBlock(s.body);
        }
        case Statement::Kind::Break:
            return Flow::Break;
        case Statement::Kind::Continue:
            return Flow::Continue;
        case Statement::Kind::Data:
        case Statement::Kind::Output:
        case Statement::Kind::Set:
        case Statement::Kind::SetBlock:
        case Statement::Kind::Macro:
        case Statement::Kind::CallBlock:
        case Statement::Kind::Filtered:
        case Statement::Kind::Do:
            break;
    }
    LACUNA_TRY_STATUS(execPlain(s));
    return Flow::Next;
}

Status Evaluator::execPlain(const Statement& s) {
    if (s.kind == Statement::Kind::Data) return write(s.place, MarkedText(s.text));
    if (s.kind == Statement::Kind::SetBlock) return execSetBlock(s);
    if (s.kind == Statement::Kind::CallBlock) return execCallBlock(s);
    if (s.kind == Statement::Kind::Macro) {
        newest()[s.text] = Value(Value::Held(MacroRef{&s, here()}));
        return {};
    }
    Value value;
    if (s.kind == Statement::Kind::Filtered) {
        LACUNA_TRY(value, filteredBody(s));
    } else {
        LACUNA_TRY(value, eval(*s.value));
    }
    if (s.kind == Statement::Kind::Do) return {};
    if (s.kind == Statement::Kind::Set) return assignTo(s, std::move(value));
    LACUNA_TRY(const MarkedText text, at(s.place, toText(value, &work_)));
    return write(s.place, text);
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

Result<Flow> Evaluator::execWith(const Statement& s) {
    std::vector<Value> values;
    for (const auto& [target, expr] : s.assigned) {
        LACUNA_TRY(Value value, eval(*expr));
        values.push_back(std::move(value));
    }
    const Scope scope(*this, top());
    for (std::size_t i = 0; i < values.size(); ++i)
        LACUNA_TRY_STATUS(assign(s.place, s.assigned[i].first, std::move(values[i])));
    return execBlock(s.body);
}

Status Evaluator::execSetBlock(const Statement& s) {
    LACUNA_TRY(Value value, filteredBody(s));
    return assignTo(s, std::move(value));
}

Result<Value> Evaluator::filteredBody(const Statement& s) {
    MarkedText text;
    {
        const Scope scope(*this, top());
        LACUNA_TRY(text, captured(s.body));
    }
    if (!s.value) return Value::text(std::move(text));
    bodies_.push_back(Value::text(std::move(text)));
    auto value = eval(*s.value);
    bodies_.pop_back();
    return value;
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

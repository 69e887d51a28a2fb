#include <algorithm>

#include "engine/template/jinja_evaluator.h"
#include "engine/template/jinja_interpreter.h"

namespace lacuna::jinja {

// Execution of statements: output, conditions, assignments.

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

// Loops: each round has its own frame with the variable `loop`.

Result<Value::ListPtr> Evaluator::loopItems(const Statement& s, const Value& iterated,
                                            std::size_t parent) {
    LACUNA_TRY(const Value::ListPtr all, at(s.place, elements(iterated, &work_)));
    if (!s.condition) return all;
    List kept;
    for (const Value& item : *all) {
        LACUNA_TRY_STATUS(step(s.place));
        const Scope scope(*this, parent);
        LACUNA_TRY_STATUS(assign(s.place, s.target, item));
        LACUNA_TRY(const Value passes, eval(*s.condition));
        if (passes.truthy()) kept.push_back(item);
    }
    return std::make_shared<const List>(std::move(kept));
}

Result<Flow> Evaluator::execFor(const Statement& s) {
    LACUNA_TRY(const Value iterated, eval(*s.value));
    LACUNA_TRY(Value::ListPtr items, loopItems(s, iterated, top()));
    return runLoop(s, {std::move(items), 1, here()});
}

Result<Flow> Evaluator::runLoop(const Statement& s, LoopRun run) {
    if (run.items->empty()) {
        const Scope scope(*this, run.around.index);
        return execBlock(s.otherwise);
    }
    LoopState state{.items = run.items,
                    .depth = run.depth,
                    .id = ++lastId_,
                    .recursive = s.recursive ? &s : nullptr,
                    .frame = run.around};
    work_.spend(run.items->size());
    for (const Value& item : *run.items) state.itemDepth = std::max(state.itemDepth, item.depth());
    for (; state.index < run.items->size(); ++state.index) {
        const Scope scope(*this, run.around.index);
        LACUNA_TRY(const Flow flow, loopRound(s, state));
        if (flow == Flow::Break) break;
    }
    lastChanged_.erase(state.id);
    return Flow::Next;
}

Result<Flow> Evaluator::loopRound(const Statement& s, LoopState state) {
    LACUNA_TRY_STATUS(step(s.place));
    const Value item = (*state.items)[state.index];
    newest()["loop"] = Value::loop(std::move(state));
    LACUNA_TRY_STATUS(assign(s.place, s.target, item));
    return execBlock(s.body);
}

/// `loop(children)` in a recursive loop: returns the output of the loop over them.
Result<Value> Evaluator::callLoop(const LoopState& loop, Place place, const CallArgs& args) {
    if (!loop.recursive)
        return failAt(place, ErrorCode::TplRuntime,
                      "the loop cannot be called; it is not marked recursive");
    if (args.positional.size() != 1 || !args.named.empty())
        return failAt(place, ErrorCode::TplRuntime, "loop() takes one list");
    LACUNA_TRY_STATUS(checkFrame(loop.frame, place));
    if (macros_ >= kMaxMacroDepth)
        return failAt(place, ErrorCode::TplLimit,
                      format("loops call each other deeper than {}", kMaxMacroDepth));
    LACUNA_TRY(Value::ListPtr items,
               loopItems(*loop.recursive, args.positional[0], loop.frame.index));
    ++macros_;
    MarkedText outer = std::move(out_);
    out_ = MarkedText();
    auto flow = runLoop(*loop.recursive, {std::move(items), loop.depth + 1, loop.frame});
    MarkedText text = std::move(out_);
    out_ = std::move(outer);
    --macros_;
    if (!flow) return tl::unexpected<Error>(std::move(flow).error());
    return Value::text(std::move(text));
}

Result<Value> Evaluator::loopMethod(const LoopState& loop, std::string_view name,
                                    const CallArgs& args) {
    if (name == "cycle") {
        if (args.positional.empty())
            return fail(ErrorCode::TplRuntime, "loop.cycle needs something to choose from");
        return args.positional[loop.index % args.positional.size()];
    }
    work_.spend(args.steps());
    const auto last = lastChanged_.find(loop.id);
    if (last != lastChanged_.end()) {
        LACUNA_TRY(const bool same,
                   equal(Value::list(last->second), Value::list(args.positional), &work_));
        if (same) return Value::boolean(false);
    }
    lastChanged_[loop.id] = args.positional;
    return Value::boolean(true);
}

// Macros and call blocks. A macro is text with arguments; it sees the variables in scope at its
// definition.

Status Evaluator::checkFrame(FrameRef frame, Place place) const {
    if (frame.index < frames_.size() && frames_[frame.index].id == frame.id) return {};
    return failAt(place, ErrorCode::TplRuntime, "a macro is called outside its block");
}

Result<Value> Evaluator::callMacro(const MacroRef& macro, Place place, const CallArgs& args) {
    if (macros_ >= kMaxMacroDepth)
        return failAt(place, ErrorCode::TplLimit,
                      format("macros call each other deeper than {}", kMaxMacroDepth));
    LACUNA_TRY_STATUS(checkFrame(macro.frame, place));
    const Statement& body = *macro.statement;
    const Scope scope(*this, macro.frame.index);
    LACUNA_TRY_STATUS(bindArguments(body, place, args));
    ++macros_;
    auto written = captured(body.body);
    --macros_;
    LACUNA_TRY(MarkedText text, std::move(written));
    return Value::text(std::move(text));
}

Status Evaluator::bindArguments(const Statement& macro, Place place, const CallArgs& args) {
    // Names are searched linearly.
    work_.spend(args.positional.size() + (macro.parameters.size() + 1) * (args.named.size() + 1));
    LACUNA_TRY_STATUS(checkWork(place));
    LACUNA_TRY_STATUS(bindRest(macro, place, args));
    for (std::size_t i = 0; i < macro.parameters.size(); ++i) {
        const Parameter& parameter = macro.parameters[i];
        Value value = Value::undefined(parameter.name);
        if (const Value* given = args.find(i, parameter.name)) {
            value = *given;
        } else if (parameter.fallback) {
            LACUNA_TRY(value, eval(*parameter.fallback));
        }
        newest()[parameter.name] = std::move(value);
    }
    return {};
}

/// Binds `varargs`, `kwargs` and `caller`, or returns an error for arguments that the macro does
/// not accept.
Status Evaluator::bindRest(const Statement& macro, Place place, const CallArgs& args) {
    const std::size_t places = macro.parameters.size();
    List more;
    for (std::size_t i = places; i < args.positional.size(); ++i)
        more.push_back(args.positional[i]);
    if (!more.empty() && !macro.usesMore)
        return failAt(place, ErrorCode::TplRuntime,
                      format("the macro \"{}\" takes {} arguments, not {}", macro.text, places,
                             args.positional.size()));
    Dict others;
    Value caller = Value::undefined("caller");
    for (std::size_t i = 0; i < args.named.size(); ++i) {
        const auto& [name, value] = args.named[i];
        if (std::any_of(
                macro.parameters.begin(), macro.parameters.end(),
                [&wanted = args.named[i].first](const Parameter& p) { return p.name == wanted; }))
            continue;
        if (name == "caller" && macro.usesCaller) {
            caller = value;
            continue;
        }
        if (!macro.usesNamed)
            return failAt(place, ErrorCode::TplRuntime,
                          format("the macro \"{}\" has no argument \"{}\"", macro.text, name));
        LACUNA_TRY_STATUS(others.set(args.nameAsText(i), value));
    }
    if (macro.usesMore) newest()["varargs"] = Value::list(std::move(more), ListKind::Tuple);
    if (macro.usesNamed) newest()["kwargs"] = Value::dict(std::move(others));
    if (macro.usesCaller && macro.kind == Statement::Kind::Macro) newest()["caller"] = caller;
    return {};
}

Status Evaluator::execCallBlock(const Statement& s) {
    const Expr& call = *s.value;
    LACUNA_TRY_STATUS(step(s.place));
    LACUNA_TRY(const Value function, eval(*call.parts[0]));
    LACUNA_TRY(CallArgs args, evalArgs(call));
    args.named.emplace_back("caller", Value(Value::Held(MacroRef{&s, here()})));
    LACUNA_TRY(const Value value, callValue(function, *call.parts[0], args));
    LACUNA_TRY(const MarkedText text, at(s.place, toText(value, &work_)));
    return write(s.place, text);
}

Result<MarkedText> run(const Block& program, const RunInput& input) {
    return Evaluator(input).run(program);
}

}  // namespace lacuna::jinja

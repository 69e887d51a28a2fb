#include <algorithm>

#include "engine/template/jinja_evaluator.h"

// Macros and call blocks. A macro is text with arguments; it sees what stood around its definition.

namespace lacuna::jinja {

Status Evaluator::checkFrame(FrameRef frame, Place place) const {
    if (frame.index < frames_.size() && frames_[frame.index].id == frame.id) return {};
    return failAt(place, ErrorCode::TplRuntime, "called outside of the block it belongs to");
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
    // Names are looked for one by one.
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

/// `varargs`, `kwargs` and `caller`, or an error for arguments that the macro does not take.
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
    for (const auto& [name, value] : args.named) {
        if (std::any_of(macro.parameters.begin(), macro.parameters.end(),
                        [&, &wanted = name](const Parameter& p) { return p.name == wanted; }))
            continue;
        if (name == "caller" && macro.usesCaller) {
            caller = value;
            continue;
        }
        if (!macro.usesNamed)
            return failAt(place, ErrorCode::TplRuntime,
                          format("the macro \"{}\" has no argument \"{}\"", macro.text, name));
        others.set(name, value);
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

}  // namespace lacuna::jinja
